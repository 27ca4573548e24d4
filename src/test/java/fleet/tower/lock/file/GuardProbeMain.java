package fleet.tower.lock.file;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Prints whether a byte of a guard file is locked by another process. */
final class GuardProbeMain {
  private GuardProbeMain() {}

  static void main(String[] arguments) throws IOException {
    try (FileChannel channel = FileChannel.open(Path.of(arguments[0]), StandardOpenOption.WRITE);
        FileLock lock = channel.tryLock(Long.parseLong(arguments[1]), 1, false)) {
      System.out.println(lock == null ? "taken" : "free");
    }
  }
}
