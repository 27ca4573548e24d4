package fleet.tower.lock.file;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import org.junit.jupiter.api.extension.AnnotatedElementContext;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.io.TempDirFactory;

/**
 * A temporary directory on a file system in memory, if the host has one: thousands of runs need not wait for a disk.
 */
final class InMemoryDirectory implements TempDirFactory {
  private static final Path SHARED_MEMORY = Path.of("/dev/shm");

  @Override
  public Path createTempDirectory(AnnotatedElementContext element, ExtensionContext extension) throws IOException {
    return Files.isDirectory(SHARED_MEMORY) && Files.isWritable(SHARED_MEMORY)
        ? Files.createTempDirectory(SHARED_MEMORY, "tower-locks")
        : Files.createTempDirectory("tower-locks");
  }
}
