package fleet.tower.platform.disk;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;

/** Files and directories that nobody but their owner may read. */
public final class OwnerOnly {
  /** For a new file: 0600. */
  public static final FileAttribute<?> FILE = PosixFilePermissions
      .asFileAttribute(PosixFilePermissions.fromString("rw-------"));
  private static final FileAttribute<?> DIRECTORY = PosixFilePermissions
      .asFileAttribute(PosixFilePermissions.fromString("rwx------"));

  private OwnerOnly() {}

  /** Makes a directory, and those above it that are missing: 0700. */
  public static void makeDirectories(Path directory) throws IOException {
    try {
      Files.createDirectories(directory, DIRECTORY);
    } catch (FileAlreadyExistsException e) {
      throw new NotDirectoryException(e.getFile());
    }
  }

  /** Makes the names in a directory survive a power cut. */
  public static void sync(Path directory) throws IOException {
    Uninterrupted.call(() -> {
      try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
        channel.force(true);
      }
      return null;
    });
  }
}
