package fleet.tower.harness;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

import org.jspecify.annotations.Nullable;

/** The files of a lock that another thread or process renews. */
public final class RenewedLock {
  private RenewedLock() {}

  /** Waits for a renewal, so that none is under way when the lock file is changed next, and none undoes the change. */
  public static void awaitRenewal(Path lock) {
    Object before = file(lock);
    Await.until("a renewal of " + lock, () -> {
      Object now = file(lock);
      return now != null && !now.equals(before);
    });
  }

  /** A renewal replaces the file. */
  private static @Nullable Object file(Path lock) {
    try {
      return Files.getAttribute(lock, "unix:ino") + " " + Files.getLastModifiedTime(lock);
    } catch (IOException gone) {
      return null;
    }
  }

  /**
   * From now on a lock can be released, but not renewed: a directory blocks the file that a renewal writes first. It
   * appears as a whole, because a renewal removes an empty one.
   */
  public static void block(Path locks, String name) {
    try {
      Path aside = locks.resolveSibling("blocked-" + name);
      Files.createDirectories(aside.resolve("full"));
      Await.until("no renewal is under way", () -> isMoved(aside, spare(locks, name)));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Lets the lock be renewed again. The next renewal removes the directory. */
  public static void unblock(Path locks, String name) {
    try {
      Files.delete(spare(locks, name).resolve("full"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Whether a renewal has not yet removed the directory. */
  public static boolean isBlocked(Path locks, String name) {
    return Files.isDirectory(spare(locks, name));
  }

  private static Path spare(Path locks, String name) {
    return locks.resolve("." + name + ".spare");
  }

  private static boolean isMoved(Path directory, Path target) {
    try {
      Files.deleteIfExists(target);
      Files.move(directory, target, StandardCopyOption.ATOMIC_MOVE);
      return true;
    } catch (FileSystemException beingWritten) {
      return false;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
