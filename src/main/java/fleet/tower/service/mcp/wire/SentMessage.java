package fleet.tower.service.mcp.wire;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.function.IntConsumer;

import fleet.tower.platform.text.VisibleText;

/**
 * A message as a client, and the model behind it, read it: JSON on one line whose strings have no hidden characters but
 * line breaks and tabs. It is the only thing that is written to a client, so no result, resource, prompt, error or
 * notification can carry text that a person does not see.
 */
public record SentMessage(String json) {
  private static final int UNIT_ESCAPE = "\\u0000".length();

  public SentMessage {
    json = new Filter(json).filtered().strip();
  }

  /** Writes it as one line. */
  public void writeLine(OutputStream out) throws IOException {
    out.write((json + "\n").getBytes(StandardCharsets.UTF_8));
    out.flush();
  }

  /** Writes it as an event of a stream. */
  public void writeEvent(OutputStream out) throws IOException {
    out.write(("event: message\ndata: " + json + "\n\n").getBytes(StandardCharsets.UTF_8));
    out.flush();
  }

  /** Writes a comment to a stream of events, which shows that its client is still connected. */
  public static void writeSignOfLife(OutputStream out) throws IOException {
    out.write(": still at work\n\n".getBytes(StandardCharsets.UTF_8));
    out.flush();
  }

  /** Writes it as a response; {@code length} receives its length in bytes before the first of them is written. */
  public void writeTo(OutputStream out, IntConsumer length) throws IOException {
    byte[] utf8 = json.getBytes(StandardCharsets.UTF_8);
    length.accept(utf8.length);
    out.write(utf8);
  }

  /** Copies a JSON text without hidden characters, whether they stand for themselves or are escaped. */
  private static final class Filter {
    private final String json;
    private final StringBuilder visible;
    private int at;

    Filter(String json) {
      this.json = json;
      this.visible = new StringBuilder(json.length());
    }

    String filtered() {
      while (at < json.length()) {
        if (json.charAt(at) == '\\' && at + 1 < json.length()) {
          copyEscape();
        } else {
          copyCharacter(json.codePointAt(at));
        }
      }
      return visible.toString();
    }

    /** Line breaks that are not escaped occur only between values. */
    private void copyCharacter(int c) {
      if (c == '\n' || c == '\r') {
        visible.append(' ');
      } else if (c == '\t' || !VisibleText.isHidden(c)) {
        visible.appendCodePoint(c);
      }
      at += Character.charCount(c);
    }

    private void copyEscape() {
      switch (json.charAt(at + 1)) {
        case 'u' -> copyUnits();
        case 'b', 'f', 'r' -> at += 2;
        default -> {
          visible.append(json, at, at + 2);
          at += 2;
        }
      }
    }

    /** Copies an escaped character, which is one unit or a pair of them. */
    private void copyUnits() {
      int length = UNIT_ESCAPE;
      int c = unit(at);
      if (Character.isHighSurrogate((char) c) && json.startsWith("\\u", at + length)) {
        int low = unit(at + length);
        if (Character.isLowSurrogate((char) low)) {
          c = Character.toCodePoint((char) c, (char) low);
          length += UNIT_ESCAPE;
        }
      }
      if (c == '\n' || c == '\t' || !VisibleText.isHidden(c)) {
        visible.append(json, at, at + length);
      }
      at += length;
    }

    private int unit(int escape) {
      return Integer.parseInt(json, escape + 2, escape + UNIT_ESCAPE, 16);
    }
  }
}
