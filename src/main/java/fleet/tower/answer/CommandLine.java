package fleet.tower.answer;

import java.util.ArrayList;
import java.util.List;

/** A command line under construction, quoted for a shell. */
public final class CommandLine {
  private static final String PLAIN = "[A-Za-z0-9_@%+=:,./-]+";

  private final List<String> words = new ArrayList<>();

  /** @param command the words of the command, which need no quotes */
  public CommandLine(String command) {
    words.add("tower " + command);
  }

  /** Adds an operand. */
  public CommandLine operand(String text) {
    words.add(quoted(text));
    return this;
  }

  /** Adds a flag. */
  public CommandLine flag(String option) {
    words.add(option);
    return this;
  }

  /** Adds an option and its value; one that could be mistaken for an option is attached with an equals sign. */
  public CommandLine option(String option, String value) {
    words.add(value.isEmpty() || value.startsWith("-") ? option + "=" + quoted(value) : option + " " + quoted(value));
    return this;
  }

  /** Adds the command to execute. */
  public CommandLine executing(List<String> command) {
    if (!command.isEmpty()) {
      words.add("--");
      command.forEach(this::operand);
    }
    return this;
  }

  /** A word as a shell reads it. */
  public static String quoted(String word) {
    return word.matches(PLAIN) ? word : "'" + word.replace("'", "'\\''") + "'";
  }

  @Override
  public String toString() {
    return String.join(" ", words);
  }
}
