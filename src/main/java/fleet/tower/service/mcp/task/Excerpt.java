package fleet.tower.service.mcp.task;

import java.util.List;

import fleet.tower.service.mcp.tool.PlainText;

/** Bounded parts of texts from outside, without characters that could control a terminal. */
public final class Excerpt {
  private static final String CUT = "…";

  private Excerpt() {}

  /** The beginning of a text on one line. */
  static String line(String text, int maxLength) {
    return PlainText.line(plain(text), maxLength);
  }

  /** The end of a text with its line breaks. */
  public static String end(String text, int maxLength) {
    String plain = plain(text).strip();
    if (plain.length() <= maxLength) {
      return plain;
    }
    int start = plain.length() - maxLength + CUT.length();
    return CUT + plain.substring(Character.isLowSurrogate(plain.charAt(start)) ? start + 1 : start);
  }

  /** The last line that is not blank; empty if there is none. */
  static String lastLine(String text) {
    List<String> lines = plain(text).lines().filter(line -> !line.isBlank()).toList();
    return lines.isEmpty() ? "" : lines.getLast().strip();
  }

  /** The text without escape sequences of terminals and without control and invisible characters. */
  private static String plain(String text) {
    return text.replaceAll("\\x1b(?:\\[[0-?]*[ -/]*[@-~]|\\][^\\x07\\x1b]*(?:\\x07|\\x1b\\\\)?|[@-Z\\\\-_])", "")
        .replaceAll("\\r\\n?", "\n").replaceAll("[\\p{Cc}\\p{Cf}\\p{Cs}\\u2028\\u2029&&[^\\n\\t]]", "");
  }
}
