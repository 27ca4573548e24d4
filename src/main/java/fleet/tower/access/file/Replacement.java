package fleet.tower.access.file;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.util.EnumSet;

import fleet.tower.platform.disk.OwnerOnly;
import fleet.tower.platform.disk.WrittenFile;

/** Replaces a small file atomically: readers see the old text or the new one, always complete, even after a crash. */
final class Replacement {
  /** Longer than a reader waits for the writer of a text that may not be complete. */
  static final long SETTLED_MILLIS = 1_000;

  private Replacement() {}

  /** Replaces or creates a file; the caller syncs its directory. {@code prefix} begins the temporary name. */
  static void write(Path path, String prefix, String text) throws IOException {
    Path fresh = Files.createTempFile(path.resolveSibling(""), prefix, ".new", OwnerOnly.FILE);
    try {
      WrittenFile.write(fresh, text.getBytes(StandardCharsets.UTF_8));
      finish(fresh, path);
      Files.move(fresh, path, StandardCopyOption.ATOMIC_MOVE);
    } finally {
      Files.deleteIfExists(fresh);
    }
  }

  /**
   * Gives a new file the readers of the old one: a service that cannot read it would keep the old tokens. Without an
   * old file the directory's owner gets it, which root may do.
   *
   * <p>Its modification time is set back, because it is complete when it gets its name: readers need not wait, as they
   * do for a file that an editor may still be writing.
   */
  static void finish(Path fresh, Path path) throws IOException {
    boolean isNew = Files.notExists(path, LinkOption.NOFOLLOW_LINKS);
    PosixFileAttributes like = Files.readAttributes(isNew ? path.resolveSibling("") : path, PosixFileAttributes.class);
    PosixFileAttributeView view = Files.getFileAttributeView(fresh, PosixFileAttributeView.class);
    if (!view.readAttributes().owner().equals(like.owner())) {
      view.setOwner(like.owner());
    }
    if (!isNew && like.permissions().contains(PosixFilePermission.GROUP_READ)) {
      view.setGroup(like.group());
      Files.setPosixFilePermissions(fresh, EnumSet.of(PosixFilePermission.OWNER_READ,
          PosixFilePermission.OWNER_WRITE, PosixFilePermission.GROUP_READ));
    }
    Files.setLastModifiedTime(fresh,
        FileTime.fromMillis(Files.getLastModifiedTime(fresh).toMillis() - SETTLED_MILLIS));
  }
}
