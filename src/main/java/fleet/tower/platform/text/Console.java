package fleet.tower.platform.text;

import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntFunction;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

/** The output of a command: data and messages. Control and invisible characters in names are escaped. */
public final class Console {
  private final PrintStream out;
  private final PrintStream err;
  private final boolean isTerminal;
  private final boolean isColoured;
  private final WatchedOutput watched;

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
    this(out, new WatchedOutput(out), err, isTerminal, isColoured);
  }

  private Console(PrintStream out, WatchedOutput watched, PrintStream err, boolean isTerminal, boolean isColoured) {
    this.out = out;
    this.watched = watched;
    this.err = err;
    this.isTerminal = isTerminal;
    this.isColoured = isColoured;
  }

  /** The console of this process, always in UTF-8. */
  public static Console ofProcess() {
    return of(new FileOutputStream(FileDescriptor.out), new FileOutputStream(FileDescriptor.err));
  }

  /** A console that writes to two files, always in UTF-8. */
  static Console of(OutputStream out, OutputStream err) {
    WatchedOutput watched = new WatchedOutput(out);
    return new Console(stream(watched), watched, stream(err), Boolean.getBoolean("tower.terminal"),
        Boolean.getBoolean("tower.colour"));
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

  /** Why data could not be written, as on a full disk; empty if all of it was, or if its reader has closed its end. */
  public Optional<String> writeFailure() {
    out.flush();
    return Optional.ofNullable(watched.failure);
  }

  private static PrintStream stream(OutputStream to) {
    return new PrintStream(new BufferedOutputStream(to), false, StandardCharsets.UTF_8);
  }

  /** Remembers why a write failed, which a {@link PrintStream} does not say. */
  private static final class WatchedOutput extends OutputStream {
    private static final String CLOSED = "Broken pipe";

    private final OutputStream out;
    private volatile @Nullable String failure;

    WatchedOutput(OutputStream out) {
      this.out = out;
    }

    @Override
    public void write(int b) throws IOException {
      write(new byte[]{(byte) b}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int from, int length) throws IOException {
      try {
        out.write(bytes, from, length);
      } catch (IOException e) {
        if (!CLOSED.equals(e.getMessage())) {
          failure = String.valueOf(e.getMessage());
        }
        throw e;
      }
    }
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

  /** The colours of states in the tables that a terminal shows: red for failures, yellow for what needs attention. */
  static final class StateColours {
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
}
