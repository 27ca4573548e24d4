package fleet.tower.service.mcp.tool.run;

import java.util.List;

import fleet.tower.service.mcp.tool.FixedTool.Definition;
import fleet.tower.service.mcp.tool.FixedTool.Effect;
import fleet.tower.service.mcp.tool.ToolPages;

/** The entries of the tools about runs in the list of tools. */
final class RunToolDefinitions {
  private static final String REQUEST_ID = "request_id";
  private static final String ID = "\"request_id\":{\"type\":\"string\"}";

  static final Definition PLAN = new Definition("plan_intent",
      "Shows what a run would do: lock, holder, steps, warnings.",
      "\"intent\":{\"type\":\"string\"},\"params\":{\"type\":\"object\"}", List.of("intent"), Effect.NOTHING);

  static final Definition GET = new Definition("get_run", "Shows a run's state, steps and end of output.", ID,
      List.of(REQUEST_ID), Effect.NOTHING);

  static final Definition WAIT = new Definition("wait_run",
      "Waits until a run ends. If it is waiting or running, call again.",
      ID + ",\"wait_seconds\":{\"type\":\"integer\",\"minimum\":0}", List.of(REQUEST_ID), Effect.NOTHING);

  static final Definition CANCEL = new Definition("cancel_run",
      "Stops your run, rolls it back and releases its lock.", ID, List.of(REQUEST_ID), Effect.DELETION);

  static final Definition LIST = new Definition("list_runs", "Lists runs, the newest first.", """
      "intent":{"type":"string"},"status":{"type":"string"},"actor":{"type":"string"},\
      "lock_name":{"type":"string"},"""
      + ToolPages.ARGUMENTS, List.of(), Effect.NOTHING);

  private RunToolDefinitions() {}
}
