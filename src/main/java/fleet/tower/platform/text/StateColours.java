package fleet.tower.platform.text;

import java.util.Map;
import java.util.regex.Pattern;

/** The colours of states in the tables that a terminal shows: red for failures, yellow for what needs attention. */
final class StateColours {
  private static final String RED = "\u001b[31m";
  private static final String YELLOW = "\u001b[33m";
  private static final String PLAIN = "\u001b[0m";
  private static final Map<String, String> COLOURS = Map.ofEntries(Map.entry("fail", RED), Map.entry("failed", RED),
      Map.entry("corrupt", RED), Map.entry("unsupported", RED), Map.entry("timed_out", RED),
      Map.entry("lock_lost", RED), Map.entry("interrupted", RED), Map.entry("warn", YELLOW),
      Map.entry("stale", YELLOW), Map.entry("cancelled", YELLOW), Map.entry("blocked", YELLOW),
      Map.entry("frozen", YELLOW), Map.entry("gone", YELLOW));
  /** A complete cell, or the part of a cell before or after a comma; two spaces separate cells. */
  private static final Pattern CELL = Pattern
      .compile("(?<=^|  |,)(" + String.join("|", COLOURS.keySet()) + ")(?=$|  |,)");

  private StateColours() {}

  /** A line of a table with its states in colour. */
  static String in(String line) {
    return CELL.matcher(line).replaceAll(state -> COLOURS.get(state.group()) + state.group() + PLAIN);
  }
}
