package fleet.tower.service.web;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/** A process that replaces a lock file under the guard of its directory, so that no renewal is under way. */
final class GuardedMove {
  private GuardedMove() {}

  /** Arguments: the new file, the lock file. */
  static void main(String[] arguments) throws IOException {
    Path lock = Path.of(arguments[1]);
    try (FileChannel guard = FileChannel.open(lock.resolveSibling(".guard"), StandardOpenOption.READ,
        StandardOpenOption.WRITE); FileLock _ = guard.lock()) {
      Files.move(Path.of(arguments[0]), lock, StandardCopyOption.ATOMIC_MOVE);
    }
  }
}
