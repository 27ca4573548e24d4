package fleet.tower.service.mcp.tool;

import java.nio.file.Path;

/** A process that calls one tool on the files of a home, and is killed before the answer. */
final class KilledTools {
  private KilledTools() {}

  /** Arguments: the home, the tool, its arguments. */
  static void main(String[] arguments) {
    try (FixedTools tools = new FixedTools(Path.of(arguments[0]))) {
      tools.call(arguments[1], arguments[2]);
    }
  }
}
