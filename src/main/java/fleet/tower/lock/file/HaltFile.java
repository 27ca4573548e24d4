package fleet.tower.lock.file;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

import fleet.tower.lease.RequestId;
import fleet.tower.lock.FreezeRequest;
import fleet.tower.lock.Halt;
import fleet.tower.lock.HaltSource;
import fleet.tower.lock.Halts;
import fleet.tower.platform.StorageException;
import fleet.tower.platform.disk.Errno;
import fleet.tower.platform.disk.InterruptShield;
import fleet.tower.platform.text.VisibleText;
import fleet.tower.platform.time.Timestamps;

/**
 * The file of a home that halts everything, which works without service and database. Its first word may be the level,
 * the rest is the reason. Only who may write in the home can create it.
 */
record HaltFile(Path path) implements HaltSource {
  private static final String DEFAULT_REASON = "the file " + Halts.FILE + " exists";

  @Override
  public InForce inForce() {
    try {
      BasicFileAttributes found = attributes(path);
      if (found == null) {
        return InForce.NONE;
      }
      try {
        return new InForce(List.of(halt(found)), List.of());
      } catch (IOException e) {
        return new InForce(List.of(), List.of(new Unreadable(Halts.FILE, path.toString(), Errno.describe(e),
            found.lastModifiedTime().toInstant())));
      }
    } catch (IOException e) {
      throw new StorageException("the home's file " + path + ": " + Errno.describe(e), e);
    }
  }

  /** The attributes of a name; null if it does not exist, which is not an exception, because every grant asks. */
  static @Nullable BasicFileAttributes attributes(Path path) throws IOException {
    return path.getFileSystem().provider().readAttributesIfExists(path, BasicFileAttributes.class,
        LinkOption.NOFOLLOW_LINKS);
  }

  private Halt halt(BasicFileAttributes found) throws IOException {
    String whole = VisibleText.visible(new String(content(path), StandardCharsets.UTF_8)).strip();
    String text = whole.substring(0, whole.offsetByCodePoints(0,
        Math.min(whole.codePointCount(0, whole.length()), FreezeRequest.MAX_REASON)));
    String[] words = text.split("\\s+", 2);
    Optional<Halt.Level> level = Halt.Level.find(words[0]);
    String reason = level.isEmpty() ? text : words.length == 1 ? "" : words[1];
    return new Halt(Halts.FILE, new RequestId(Halts.FILE), Halt.Scope.ALL, level.orElse(Halt.Level.ADMIT),
        Files.getOwner(path, LinkOption.NOFOLLOW_LINKS).getName(), null, reason.isBlank() ? DEFAULT_REASON : reason,
        null,
        Timestamps.wholeSecond(found.lastModifiedTime().toInstant()));
  }

  /** The content of a file, as far as a halt can have it; not read through a link. */
  static byte[] content(Path file) throws IOException {
    BasicFileAttributes found = attributes(file);
    if (found != null && !found.isRegularFile()) {
      throw new IOException("not a regular file");
    }
    return InterruptShield.call(() -> {
      try (InputStream in = Files.newInputStream(file, LinkOption.NOFOLLOW_LINKS)) {
        return in.readNBytes(LockDirectory.MAX_FILE_BYTES);
      }
    });
  }
}
