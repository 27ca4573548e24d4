package fleet.tower.access.file;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

import fleet.tower.access.StoredAccess;
import fleet.tower.platform.disk.OwnerOnly;
import fleet.tower.platform.time.TimeSource;

/**
 * When each token was last used on this host: an empty file per token, named by its digest, whose modification time is
 * the answer. A write changes only that time, so no crash leaves a partial file. Each token is written at most once a
 * minute. A failure is not reported, because a call must not fail for it.
 */
final class TokenUses implements StoredAccess.LastUses {
  private static final Duration BETWEEN_WRITES = Duration.ofMinutes(1);

  private final Path directory;
  private final TimeSource time;
  private final Map<String, Long> writtenNanos = new ConcurrentHashMap<>();

  TokenUses(Path directory, TimeSource time) {
    this.directory = directory;
    this.time = time;
  }

  @Override
  public void record(String sha256) {
    long now = time.nanos();
    Long written = writtenNanos.get(sha256);
    if (written != null && now - written < BETWEEN_WRITES.toNanos()) {
      return;
    }
    boolean isMine = written == null
        ? writtenNanos.putIfAbsent(sha256, now) == null
        : writtenNanos.replace(sha256, written, now);
    if (isMine) {
      write(directory.resolve(sha256), FileTime.from(time.now()));
    }
  }

  private void write(Path file, FileTime now) {
    try {
      if (!touch(file, now)) {
        OwnerOnly.makeDirectories(directory);
        create(file);
        touch(file, now);
      }
    } catch (IOException unavailable) {
      // The next use after a minute tries again.
    }
  }

  private static boolean touch(Path file, FileTime now) throws IOException {
    try {
      Files.setLastModifiedTime(file, now);
      return true;
    } catch (NoSuchFileException firstUse) {
      return false;
    }
  }

  private static void create(Path file) throws IOException {
    try {
      Files.createFile(file, OwnerOnly.FILE);
    } catch (FileAlreadyExistsException createdConcurrently) {
      // It is set to the same minute.
    }
  }

  @Override
  public Optional<Instant> last(String sha256) {
    try {
      return Optional.of(Files.getLastModifiedTime(directory.resolve(sha256)).toInstant());
    } catch (IOException never) {
      return Optional.empty();
    }
  }

  @Override
  public void keep(Set<String> digests) {
    try (Stream<Path> files = Files.list(directory)) {
      List<Path> unknown = files.filter(file -> !digests.contains(file.getFileName().toString())).toList();
      for (Path file : unknown) {
        Files.deleteIfExists(file);
      }
    } catch (IOException unavailable) {
      // An old file does no harm; the next start tries again.
    }
  }
}
