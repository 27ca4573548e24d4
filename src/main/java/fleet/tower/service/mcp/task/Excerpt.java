package fleet.tower.service.mcp.task;

import java.util.List;
import java.util.regex.Pattern;

import fleet.tower.platform.text.VisibleText;
import fleet.tower.service.mcp.tool.PlainText;

/**
 * Texts from outside, bounded, without hidden characters, and quoted, so that no part of them looks like a word of this
 * program.
 */
public final class Excerpt {
  private static final String CUT = "…";
  private static final String QUOTE = "| ";
  private static final Pattern BEGINNING_OF_LINE = Pattern.compile("(?md)^");

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

  /** Output with a mark before each line, so that no line of it looks like a heading, an action or an address. */
  public static String quoted(String output) {
    return output.isEmpty() ? "" : BEGINNING_OF_LINE.matcher(output).replaceAll(QUOTE);
  }

  /** The last line that is not blank; empty if there is none. */
  static String lastLine(String text) {
    List<String> lines = plain(text).lines().filter(line -> !line.isBlank()).toList();
    return lines.isEmpty() ? "" : lines.getLast().strip();
  }

  /** The text without escape sequences of terminals and without control and invisible characters. */
  private static String plain(String text) {
    return VisibleText.visible(text
        .replaceAll("\\x1b(?:\\[[0-?]*[ -/]*[@-~]|\\][^\\x07\\x1b]*(?:\\x07|\\x1b\\\\)?|[@-Z\\\\-_])", "")
        .replaceAll("\\r\\n?", "\n"));
  }
}
