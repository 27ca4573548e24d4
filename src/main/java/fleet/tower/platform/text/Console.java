package fleet.tower.platform.text;

import java.io.FileOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.function.IntFunction;
import java.util.stream.Collectors;

/** The output of a command: data and messages. Control and invisible characters in names are escaped. */
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

  /** The text with its hidden characters escaped. */
  public static String printable(String line) {
    return escaped(line, c -> c == '\n' ? "\\n" : c < 0x100 ? String.format("\\x%02x", c) : unicode(c));
  }

  /**
   * Valid JSON with its hidden characters escaped: those below the space occur only between values, and others only in
   * strings.
   */
  public static String printableJson(String json) {
    return escaped(json, c -> c < ' ' ? " " : unicode(c));
  }

  private static String unicode(int c) {
    return Character.toString(c).chars().mapToObj(unit -> String.format("\\u%04x", unit)).collect(Collectors.joining());
  }

  private static String escaped(String line, IntFunction<String> escape) {
    if (VisibleText.isPlain(line)) {
      return line;
    }
    StringBuilder shown = new StringBuilder();
    line.codePoints().forEach(c -> {
      if (VisibleText.isHidden(c)) {
        shown.append(escape.apply(c));
      } else {
        shown.appendCodePoint(c);
      }
    });
    return shown.toString();
  }
}
