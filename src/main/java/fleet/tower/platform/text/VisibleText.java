package fleet.tower.platform.text;

import java.util.regex.Pattern;

import fleet.tower.platform.json.JsonWriter;

/**
 * Text without hidden characters. A character is hidden if a reader does not see it: control and format characters,
 * line separators, unpaired surrogates, and what Unicode lets programs ignore. They can carry instructions to a model
 * that no person notices, and can control a terminal.
 */
public final class VisibleText {
  private static final Pattern NAME = Pattern.compile("[\\p{L}\\p{N}][\\p{L}\\p{N}._:@/+-]*");

  private VisibleText() {}

  /** Whether a text has no hidden character, and so no line break. */
  public static boolean isPlain(String text) {
    // No stream: this runs for every line that a command prints.
    for (int i = 0; i < text.length(); i += Character.charCount(text.codePointAt(i))) {
      if (isHidden(text.codePointAt(i))) {
        return false;
      }
    }
    return true;
  }

  /** The same for a text that may have several lines and tabs. */
  public static boolean isPlainLines(String text) {
    return text.codePoints().noneMatch(c -> isHidden(c) && c != '\n' && c != '\t' && c != '\r');
  }

  /** The text without its hidden characters, except line breaks and tabs. */
  public static String visible(String text) {
    return text.codePoints().filter(c -> c == '\n' || c == '\t' || !isHidden(c))
        .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append).toString();
  }

  /** The text with each hidden character as its number in braces, except line breaks and tabs. */
  public static String escaped(String text) {
    StringBuilder escaped = new StringBuilder();
    text.codePoints().forEach(c -> {
      if (isHidden(c) && c != '\n' && c != '\t') {
        escaped.append("\\u{").append(Integer.toHexString(c)).append('}');
      } else {
        escaped.appendCodePoint(c);
      }
    });
    return escaped.toString();
  }

  /** Whether a character is hidden. Not the two that choose between text and picture, which follow many emoji. */
  public static boolean isHidden(int c) {
    if (c < 0x7f) {
      return c < ' ';
    }
    return switch (Character.getType(c)) {
      case Character.CONTROL, Character.FORMAT, Character.SURROGATE, Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR ->
        true;
      default -> isIgnorable(c);
    };
  }

  /** The characters with Unicode's property Default_Ignorable_Code_Point, besides those of the categories above. */
  private static boolean isIgnorable(int c) {
    return c == 0x34f || c == 0x115f || c == 0x1160 || c == 0x17b4 || c == 0x17b5 || (c >= 0x180b && c <= 0x180f)
        || c == 0x2065 || c == 0x3164 || (c >= 0xfe00 && c <= 0xfe0d) || c == 0xffa0 || (c >= 0xfff0 && c <= 0xfff8)
        || (c >= 0xe0000 && c <= 0xe0fff);
  }

  /** A foreign text as part of a sentence: a single word as it is, and anything else in quotes. */
  public static String quoted(String text) {
    return NAME.matcher(text).matches() ? text : JsonWriter.quote(text);
  }
}
