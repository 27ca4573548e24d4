package fleet.tower.platform.text;

import java.io.FileOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.function.IntFunction;

/** The output of a command: data and messages. Control characters in names are escaped. */
public final class Console {
  private final PrintStream out;
  private final PrintStream err;
  private final boolean isTerminal;
  private final boolean isColoured;

  public Console(PrintStream out, PrintStream err) {
    this(out, err, false);
  }

  /**
   * A console for data and messages.
   *
   * @param isTerminal whether messages go to a terminal, where written lines can be changed
   */
  public Console(PrintStream out, PrintStream err, boolean isTerminal) {
    this(out, err, isTerminal, false);
  }

  /** @param isColoured whether data goes to a terminal with colours */
  public Console(PrintStream out, PrintStream err, boolean isTerminal, boolean isColoured) {
    this.out = out;
    this.err = err;
    this.isTerminal = isTerminal;
    this.isColoured = isColoured;
  }

  /** The console of this process, always in UTF-8. */
  public static Console ofProcess() {
    return new Console(stream(java.io.FileDescriptor.out), stream(java.io.FileDescriptor.err),
        Boolean.getBoolean("tower.terminal"), Boolean.getBoolean("tower.colour"));
  }

  /** Adds a line of data. */
  public void data(String line) {
    String text = printable(line);
    out.println(isColoured ? StateColours.in(text) : text);
    out.flush();
  }

  /** A line of JSON data, which stays valid JSON. */
  public void json(String line) {
    out.println(printableJson(line));
    out.flush();
  }

  /**
   * A line that one of the user's programs printed, unchanged: its colours are data. It appears at the next {@link
   * #flush}.
   */
  public void output(String line) {
    out.println(line);
  }

  /** Flushes the data. */
  public void flush() {
    out.flush();
  }

  /** Whether messages go to a terminal. */
  public boolean isTerminal() {
    return isTerminal;
  }

  /** A terminal control sequence among the messages; for terminals only. */
  public void control(String sequence) {
    err.print(sequence);
    err.flush();
  }

  /** A message line. */
  public void words(String line) {
    err.println(printable(line));
    err.flush();
  }

  /** Whether the reader of the data has closed its end, as {@code head} does. */
  public boolean isClosed() {
    return out.checkError();
  }

  private static PrintStream stream(java.io.FileDescriptor descriptor) {
    return new PrintStream(new java.io.BufferedOutputStream(new FileOutputStream(descriptor)), false,
        StandardCharsets.UTF_8);
  }

  /** The text with its control characters escaped. */
  public static String printable(String line) {
    return escaped(line, c -> c == '\n' ? "\\n" : c < 0x100 ? String.format("\\x%02x", c) : unicode(c));
  }

  /**
   * Valid JSON with its control characters escaped: those below the space occur only between values, and others only
   * in strings.
   */
  public static String printableJson(String json) {
    return escaped(json, c -> c < ' ' ? " " : unicode(c));
  }

  private static String unicode(int c) {
    return String.format("\\u%04x", c);
  }

  private static String escaped(String line, IntFunction<String> escape) {
    if (line.chars().noneMatch(Console::isControl)) {
      return line;
    }
    StringBuilder shown = new StringBuilder();
    line.chars().forEach(c -> {
      if (isControl(c)) {
        shown.append(escape.apply(c));
      } else {
        shown.append((char) c);
      }
    });
    return shown.toString();
  }

  /** Whether a character controls a terminal, including the marks that change the writing direction. */
  static boolean isControl(int c) {
    return Character.isISOControl(c) || (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
  }
}
