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
import java.util.ArrayList;
import java.util.List;

/** Creates files and directories that only their owner can access. */
public final class OwnerOnly {
  /** The mode of a new file: 0600. */
  public static final FileAttribute<?> FILE = PosixFilePermissions
      .asFileAttribute(PosixFilePermissions.fromString("rw-------"));
  private static final FileAttribute<?> DIRECTORY = PosixFilePermissions
      .asFileAttribute(PosixFilePermissions.fromString("rwx------"));

  private OwnerOnly() {}

  /** Creates a directory and its missing parents with mode 0700. */
  public static void makeDirectories(Path directory) throws IOException {
    try {
      Files.createDirectories(directory, DIRECTORY);
    } catch (FileAlreadyExistsException e) {
      throw new NotDirectoryException(e.getFile());
    }
  }

  /**
   * The same, and syncs the directories above the new ones, so that these survive a power failure. A parent that may
   * not be read cannot be synced.
   */
  public static void makeDurableDirectories(Path directory) throws IOException {
    List<Path> changed = new ArrayList<>();
    Path at = directory.toAbsolutePath();
    for (Path parent = at.getParent(); parent != null && !Files.exists(at); parent = at.getParent()) {
      changed.add(parent);
      at = parent;
    }
    makeDirectories(directory);
    for (Path parent : changed) {
      if (Files.isReadable(parent)) {
        sync(parent);
      }
    }
  }

  /** Syncs a directory, so that the names in it survive a power failure, or the content of a file. */
  public static void sync(Path path) throws IOException {
    InterruptShield.call(() -> {
      try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
        channel.force(true);
      }
      return null;
    });
  }
}
