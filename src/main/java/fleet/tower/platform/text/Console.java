package fleet.tower.platform.text;

import java.io.FileOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.function.IntFunction;

/** Where answers go. A control character in somebody's name is shown, not obeyed. */
public final class Console {
  private final PrintStream out;
  private final PrintStream err;
  private final boolean isTerminal;

  public Console(PrintStream out, PrintStream err) {
    this(out, err, false);
  }

  /**
   * One whose words are read by a person now.
   *
   * @param isTerminal whether lines of words can be changed after they were written
   */
  public Console(PrintStream out, PrintStream err, boolean isTerminal) {
    this.out = out;
    this.err = err;
    this.isTerminal = isTerminal;
  }

  /** This process' own, always in UTF-8. */
  public static Console ofProcess() {
    return new Console(stream(java.io.FileDescriptor.out), stream(java.io.FileDescriptor.err),
        Boolean.getBoolean("tower.terminal"));
  }

  /** A line of data. */
  public void data(String line) {
    out.println(printable(line));
    out.flush();
  }

  /** A line of data that is JSON, and stays so. */
  public void json(String line) {
    out.println(printableJson(line));
    out.flush();
  }

  /** A line that one of the user's own programs printed, as it is: its colours are data. It is seen when it is flushed. */
  public void output(String line) {
    out.println(line);
  }

  /** Lets what was put out be seen. */
  public void flush() {
    out.flush();
  }

  /** Whether somebody watches the words on a terminal. */
  public boolean isTerminal() {
    return isTerminal;
  }

  /** What makes a terminal do something, among the words; for a terminal only. */
  public void control(String sequence) {
    err.print(sequence);
    err.flush();
  }

  /** A line of words. */
  public void words(String line) {
    err.println(printable(line));
    err.flush();
  }

  /** Whether a reader of the data has gone away, as {@code head} does. */
  public boolean isClosed() {
    return out.checkError();
  }

  private static PrintStream stream(java.io.FileDescriptor descriptor) {
    return new PrintStream(new java.io.BufferedOutputStream(new FileOutputStream(descriptor)), false,
        StandardCharsets.UTF_8);
  }

  /** A text with its control characters shown. */
  public static String printable(String line) {
    return escaped(line, c -> c == '\n' ? "\\n" : c < 0x100 ? String.format("\\x%02x", c) : unicode(c));
  }

  /** Valid JSON has controls below the blank between values only, and the others in strings only. */
  private static String printableJson(String json) {
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

  /** What makes a terminal do something, the marks that turn the direction of writing among it. */
  private static boolean isControl(int c) {
    return Character.isISOControl(c) || (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
  }
}
