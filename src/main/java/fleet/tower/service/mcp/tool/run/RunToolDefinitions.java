package fleet.tower.service.mcp.tool.run;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import fleet.tower.platform.json.JsonWriter;
import fleet.tower.run.RunStatus;
import fleet.tower.service.mcp.tool.FixedTool.Definition;
import fleet.tower.service.mcp.tool.FixedTool.Effect;
import fleet.tower.service.mcp.tool.ToolPages;

/** The entries of the tools about runs in the list of tools. */
final class RunToolDefinitions {
  private static final String REQUEST_ID = "request_id";
  private static final String ID = "\"request_id\":{\"type\":\"string\"}";

  static final Definition PLAN = new Definition("plan_intent",
      "Shows what a run would do.",
      "\"intent\":{\"type\":\"string\"},\"params\":{\"type\":\"object\"}", List.of("intent"), Effect.NOTHING);

  static final Definition GET = new Definition("get_run", "Shows a run's state, steps and end of output.", ID,
      List.of(REQUEST_ID), Effect.NOTHING);

  static final Definition WAIT = new Definition("wait_run",
      "Waits until a run ends. Call again while it goes on.",
      ID + ",\"wait_seconds\":{\"type\":\"integer\",\"minimum\":0}", List.of(REQUEST_ID), Effect.NOTHING);

  static final Definition CANCEL = new Definition("cancel_run",
      "Stops your run and rolls it back.", ID, List.of(REQUEST_ID), Effect.DELETION);

  static final Definition LIST = new Definition("list_runs", "Lists runs, newest first.", """
      "intent":{"type":"string"},"status":{"enum":[%s]},"actor":{"type":"string"},"lock_name":{"type":"string"},"""
      .formatted(Stream.of(RunStatus.values()).map(status -> JsonWriter.quote(status.toString()))
          .collect(Collectors.joining(",")))
      + ToolPages.ARGUMENTS, List.of(), Effect.NOTHING);

  private RunToolDefinitions() {}
}
