package fleet.tower.platform.text;

import java.nio.charset.StandardCharsets;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The output of a program as text for readers without a terminal. */
public final class OutputText {
  /** The size of the longest unfinished terminal sequence that {@link #wholeEnd} looks for. */
  private static final int MAX_SEQUENCE = 256;
  private static final char ESCAPE = 0x1b;
  private static final char BELL = 0x07;

  private OutputText() {}

  /**
   * The text without terminal sequences: colours, movements of the cursor and titles of windows. Also works for bytes
   * of UTF-8 that are decoded as ISO 8859-1.
   */
  public static String withoutSequences(String output) {
    int escape = output.indexOf(ESCAPE);
    if (escape < 0) {
      return output;
    }
    StringBuilder shown = new StringBuilder(output.length());
    int from = 0;
    while (escape >= 0) {
      int end = sequenceEnd(output, escape);
      if (end > escape) {
        shown.append(output, from, escape);
        from = end;
      }
      escape = output.indexOf(ESCAPE, Math.max(end, escape + 1));
    }
    return shown.append(output, from, output.length()).toString();
  }

  /** The end of the terminal sequence at an escape character: the same position for none, -1 if it is unfinished. */
  private static int sequenceEnd(String text, int escape) {
    int begin = escape + 2;
    if (begin > text.length()) {
      return -1;
    }
    return switch (text.charAt(escape + 1)) {
      case '[' -> {
        int last = after(text, after(text, begin, '0', '?'), ' ', '/');
        yield last == text.length() ? -1 : text.charAt(last) >= '@' && text.charAt(last) <= '~' ? last + 1 : escape;
      }
      case ']' -> titleEnd(text, begin, escape);
      default -> escape;
    };
  }

  /** The first position from which on a character is not between two others. */
  private static int after(String text, int from, char first, char last) {
    int at = from;
    while (at < text.length() && text.charAt(at) >= first && text.charAt(at) <= last) {
      at++;
    }
    return at;
  }

  /** The end of a title, which does not continue on the next line; {@code none} if it has none. */
  private static int titleEnd(String text, int from, int none) {
    for (int at = from; at < text.length(); at++) {
      switch (text.charAt(at)) {
        case BELL -> {
          return at + 1;
        }
        case ESCAPE -> {
          return at + 1 == text.length() ? -1 : text.charAt(at + 1) == '\\' ? at + 2 : none;
        }
        case '\n' -> {
          return none;
        }
        default -> {
        }
      }
    }
    return -1;
  }

  /** The line with its hidden characters escaped, except tabs. */
  public static String escaped(String line) {
    return VisibleText.isPlain(line)
        ? line
        : Stream.of(line.split("\t", -1)).map(Console::printable).collect(Collectors.joining("\t"));
  }

  /** The line without its carriage return, if it ends with one. */
  public static String withoutReturn(String line) {
    return line.endsWith("\r") ? line.substring(0, line.length() - 1) : line;
  }

  /** The lines without terminal sequences and carriage returns at their ends, with other hidden characters escaped. */
  public static String printable(String output) {
    return Stream.of(withoutSequences(output).split("\n", -1)).map(line -> escaped(withoutReturn(line)))
        .collect(Collectors.joining("\n"));
  }

  /** The last position up to {@code to} at which no character and no terminal sequence is unfinished. */
  public static int wholeEnd(byte[] bytes, int from, int to) {
    int end = wholeCharacters(bytes, from, to);
    int near = Math.max(from, end - MAX_SEQUENCE);
    String tail = new String(bytes, near, Math.max(0, end - near), StandardCharsets.ISO_8859_1);
    for (int escape = tail.indexOf(ESCAPE); escape >= 0; escape = tail.indexOf(ESCAPE, escape + 1)) {
      if (sequenceEnd(tail, escape) < 0) {
        return near + escape;
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
