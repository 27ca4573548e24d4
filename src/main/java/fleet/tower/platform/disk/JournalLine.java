package fleet.tower.platform.disk;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * A record of a journal as a line: its checksum, a space, the record. It begins with a line break, which ends a line
 * that a full disk or a power cut has torn.
 */
final class JournalLine {
  private static final int HEX_DIGITS = 8;

  private JournalLine() {}

  static byte[] of(String record) {
    byte[] text = record.getBytes(StandardCharsets.UTF_8);
    return ("\n" + checksum(text, 0, text.length) + " " + record + "\n").getBytes(StandardCharsets.UTF_8);
  }

  /** The records of undamaged lines. */
  static List<String> records(byte[] lines) {
    List<String> records = new ArrayList<>();
    int start = 0;
    for (int end = 0; end < lines.length; end++) {
      if (lines[end] == '\n') {
        int text = start + HEX_DIGITS + 1;
        if (text < end && new String(lines, start, HEX_DIGITS + 1, StandardCharsets.ISO_8859_1)
            .equals(checksum(lines, text, end - text) + " ")) {
          records.add(new String(lines, text, end - text, StandardCharsets.UTF_8));
        }
        start = end + 1;
      }
    }
    return records;
  }

  private static String checksum(byte[] bytes, int from, int length) {
    CRC32C checksum = new CRC32C();
    checksum.update(bytes, from, length);
    String digits = Long.toHexString(checksum.getValue());
    return "0".repeat(HEX_DIGITS - digits.length()) + digits;
  }
}
