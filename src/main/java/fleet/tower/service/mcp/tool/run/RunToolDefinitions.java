package fleet.tower.service.mcp.tool.run;

/** The entries of the tools about runs in the list of tools. They are short, because every conversation has them. */
final class RunToolDefinitions {
  private static final String OUTCOME = "\"outputSchema\":{\"type\":\"object\",\"required\":[\"outcome\"]}";
  private static final String READ_ONLY = "\"annotations\":{\"readOnlyHint\":true}";

  static final String PLAN = """
      {"name":"plan_intent","description":"Shows what a run of an intent would do: its lock and \
      the holder, steps, warnings. Changes nothing.","inputSchema":{"type":"object","properties":{\
      "intent":{"type":"string"},"params":{"type":"object"}},"required":["intent"],"additionalProperties":false},"""
      + OUTCOME + "," + READ_ONLY + "}";

  static final String GET = """
      {"name":"get_run","description":"Shows a run's state, steps and end of output.",\
      "inputSchema":{"type":"object","properties":{"request_id":{"type":"string"}},"required":["request_id"],\
      "additionalProperties":false},"""
      + OUTCOME + "," + READ_ONLY + "}";

  static final String WAIT = """
      {"name":"wait_run","description":"Waits until a run ends, and shows it. May answer \
      earlier with outcome waiting or running: call it again.","inputSchema":{"type":"object","properties":{\
      "request_id":{"type":"string"},"wait_seconds":{"type":"integer","minimum":0,"maximum":3600}},\
      "required":["request_id"],"additionalProperties":false},"""
      + OUTCOME + "," + READ_ONLY + "}";

  static final String CANCEL = """
      {"name":"cancel_run","description":"Stops your run, rolls it back and releases its \
      lock.","inputSchema":{"type":"object","properties":{"request_id":{"type":"string"}},"required":["request_id"],\
      "additionalProperties":false},"""
      + OUTCOME + ",\"annotations\":{\"destructiveHint\":true,\"idempotentHint\":true}}";

  static final String LIST = """
      {"name":"list_runs","description":"Lists runs, the newest first.","inputSchema":{\
      "type":"object","properties":{"intent":{"type":"string"},"status":{"type":"string","enum":["waiting",\
      "running","succeeded","failed","cancelled","timed_out","lock_lost","interrupted"]},"actor":{"type":"string"},\
      "lock_name":{"type":"string"},"since":{"type":"string","format":"date-time"},\
      "limit":{"type":"integer","minimum":1,"maximum":100,"default":20}},"additionalProperties":false},"""
      + OUTCOME + "," + READ_ONLY + "}";

  private RunToolDefinitions() {}
}
