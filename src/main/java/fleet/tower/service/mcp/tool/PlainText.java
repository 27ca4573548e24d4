package fleet.tower.service.mcp.tool;

import fleet.tower.platform.text.VisibleText;

/**
 * Text from intents as models read it: one line, without characters that a person who reviews the text does not see,
 * and bounded.
 */
public final class PlainText {
  private static final int MAX_LINE = 200;

  private PlainText() {}

  /** The text on one line of at most 200 characters. */
  public static String line(String text) {
    return line(text, MAX_LINE);
  }

  /** The text on one line of limited length. */
  public static String line(String text, int max) {
    StringBuilder line = new StringBuilder();
    text.codePoints().forEach(c -> {
      if (!VisibleText.isHidden(c) && !Character.isSpaceChar(c)) {
        line.appendCodePoint(c);
      } else if (!line.isEmpty() && line.charAt(line.length() - 1) != ' ' && isSpace(c)) {
        line.append(' ');
      }
    });
    String plain = line.toString().strip();
    return plain.codePointCount(0, plain.length()) <= max
        ? plain
        : plain.substring(0, plain.offsetByCodePoints(0, max - 1)) + "…";
  }

  private static boolean isSpace(int c) {
    return Character.isSpaceChar(c) || Character.isWhitespace(c);
  }

  /** The first sentence of a text, with a full stop. */
  static String sentence(String text) {
    String line = line(text);
    int end = line.indexOf(". ");
    String sentence = end < 0 ? line : line.substring(0, end);
    return sentence.isEmpty() || sentence.matches("(?s).*[.!?…]") ? sentence : sentence + ".";
  }
}
