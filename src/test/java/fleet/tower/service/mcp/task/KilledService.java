package fleet.tower.service.mcp.task;

import java.io.IOException;
import java.nio.file.Path;

import fleet.tower.service.mcp.tool.ToolResult;

/** A process that answers one call with a task, prints the task, and goes on until it is killed. */
final class KilledService {
  private KilledService() {}

  /** Arguments: the home, the intent, the id of the request. */
  static void main(String[] arguments) throws IOException {
    try (RealRuns runs = new RealRuns(Path.of(arguments[0]), "tower-01", null)) {
      ToolResult result = runs.call(arguments[1], arguments[2], RecordedExchange.accepting(""));
      System.out.println(result instanceof ToolResult.Begun begun ? begun.task().end() : "not a task: " + result);
      int _ = System.in.read();
    }
  }
}
