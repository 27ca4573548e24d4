package fleet.tower.lock.file;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import fleet.tower.platform.StorageException;
import fleet.tower.platform.json.JsonException;
import fleet.tower.platform.json.JsonReader;

/**
 * The refusal of a lock directory whose home has moved. A symbolic link in the directory leads to the mark of the move,
 * a JSON object with a {@code message}.
 */
final class Moved {
  private static final int MAX_MARK_BYTES = 64 * 1024;

  private Moved() {}

  /** The refusal that a link stands for. */
  static StorageException of(Path link) {
    return StorageException.moved(message(link));
  }

  private static String message(Path link) {
    String unknown = "the locks of " + link.getParent() + " have moved to the database of a fleet";
    try {
      Path mark = link.resolveSibling(Files.readSymbolicLink(link));
      return Files.size(mark) > MAX_MARK_BYTES
          ? unknown
          : JsonReader.readObject(Files.readAllBytes(mark)).text("message").orElse(unknown);
    } catch (IOException | JsonException unreadable) {
      return unknown;
    }
  }
}
