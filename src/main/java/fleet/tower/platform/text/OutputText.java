package fleet.tower.platform.text;

import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The output of a program as text for readers without a terminal. */
public final class OutputText {
  /** The size of the longest unfinished terminal sequence that {@link #wholeEnd} looks for. */
  private static final int MAX_SEQUENCE = 256;
  private static final byte ESCAPE = 0x1b;
  /** Colours, movements of the cursor and titles of windows. None continues on the next line. */
  private static final Pattern SEQUENCE = Pattern
      .compile("\u001b\\[[0-9;:?]*[ -/]*[@-~]|\u001b\\][^\u0007\u001b\n]*(?:\u0007|\u001b\\\\)");
  private static final Pattern UNFINISHED = Pattern
      .compile("\u001b(?:\\[[0-9;:?]*[ -/]*|\\][^\u0007\u001b\n]*\u001b?)?\\z");

  private OutputText() {}

  /** The text without terminal sequences. */
  public static String withoutSequences(String output) {
    return output.indexOf(ESCAPE) < 0 ? output : SEQUENCE.matcher(output).replaceAll("");
  }

  /** The line with its control characters escaped, except tabs. */
  public static String escaped(String line) {
    return Stream.of(line.split("\t", -1)).map(Console::printable).collect(Collectors.joining("\t"));
  }

  /** The line without its carriage return, if it ends with one. */
  public static String withoutReturn(String line) {
    return line.endsWith("\r") ? line.substring(0, line.length() - 1) : line;
  }

  /** The lines without terminal sequences and carriage returns at their ends, with other control characters escaped. */
  public static String printable(String output) {
    return Stream.of(withoutSequences(output).split("\n", -1)).map(line -> escaped(withoutReturn(line)))
        .collect(Collectors.joining("\n"));
  }

  /** The last position up to {@code to} at which no character and no terminal sequence is unfinished. */
  public static int wholeEnd(byte[] bytes, int from, int to) {
    int end = wholeCharacters(bytes, from, to);
    int near = Math.max(from, end - MAX_SEQUENCE);
    for (int i = end - 1; i >= near; i--) {
      if (bytes[i] == ESCAPE) {
        Matcher unfinished = UNFINISHED.matcher(new String(bytes, near, end - near, StandardCharsets.ISO_8859_1));
        return unfinished.find() ? near + unfinished.start() : end;
      }
    }
    return end;
  }

  private static int wholeCharacters(byte[] bytes, int from, int to) {
    int lead = to - 1;
    while (lead > from && lead > to - 4 && (bytes[lead] & 0xC0) == 0x80) {
      lead--;
    }
    return lead >= from && lead + length(bytes[lead]) > to ? lead : to;
  }

  /** The number of bytes of a character with this first byte. */
  private static int length(byte lead) {
    int ones = Integer.numberOfLeadingZeros(~(lead << 24));
    return ones >= 2 && ones <= 4 ? ones : 1;
  }
}
