package fleet.tower.operation;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Random;

/** Random output of a program: all line ends and encodings, terminal sequences, and lines of up to 100 KiB. */
public final class RandomOutput {
  private static final String[] WORDS = {"error", "Zażółć", "日本語", "😀", "a", " ", "\t", "\u001b[1;31m", "\u001b[0m",
      "\u001b]0;title\u0007", "ERROR: x", "\u0007", "\r", "\u001b[", "\u202e"};
  private static final byte[][] INVALID = {{(byte) 0xff}, {(byte) 0xe2, (byte) 0x82}, {(byte) 0x80, (byte) 0xbf},
      {(byte) 0xf0, (byte) 0x9f}, {(byte) 0xc3}};

  private RandomOutput() {}

  /** The output of a number of lines, of which one in eight is long. */
  public static byte[] of(Random random, int lines) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    for (int i = 0; i < lines; i++) {
      int size = random.nextInt(8) == 0 ? random.nextInt(100 * 1024) : random.nextInt(200);
      int end = out.size() + size;
      int kind = random.nextInt(3);
      while (out.size() < end) {
        out.writeBytes(word(random, kind));
      }
      if (i < lines - 1 || random.nextBoolean()) {
        out.writeBytes((random.nextInt(4) == 0 ? "\r\n" : "\n").getBytes(StandardCharsets.UTF_8));
      }
    }
    return out.toByteArray();
  }

  private static byte[] word(Random random, int kind) {
    return switch (kind) {
      case 0 -> "plain text of a program ".getBytes(StandardCharsets.UTF_8);
      case 1 -> "żółć€😀".getBytes(StandardCharsets.UTF_8);
      default -> random.nextInt(10) == 0
          ? INVALID[random.nextInt(INVALID.length)]
          : WORDS[random.nextInt(WORDS.length)].getBytes(StandardCharsets.UTF_8);
    };
  }
}
