package fleet.tower.access.file;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import fleet.tower.access.Digests;
import fleet.tower.access.Generation;
import fleet.tower.access.NewTokens;
import fleet.tower.access.OperatorTokenFile;
import fleet.tower.access.Tokens.OperatorToken;
import fleet.tower.access.Tokens.RotatedOperator;
import fleet.tower.platform.StorageException;
import fleet.tower.platform.disk.Errno;
import fleet.tower.platform.disk.OwnerOnly;
import fleet.tower.platform.disk.WrittenFile;
import fleet.tower.platform.disk.WrittenFile.Also;
import fleet.tower.platform.time.TimeSource;
import fleet.tower.platform.time.Timestamps;

/**
 * The operator's own token in {@code state/token}, and the digests of the previous ones that are still valid in
 * {@code state/token.previous}, one per line with its expiry. The database of a fleet has those digests instead.
 *
 * <p>A rotation writes the previous ones first, and a reader reads them last. So no token is missing at any moment,
 * also after a crash in between.
 */
final class OperatorFile implements OperatorTokenFile {
  private final TokenFile file;
  private final Path previous;
  private final TimeSource time;

  OperatorFile(TokenFile file, TimeSource time) {
    this.file = file;
    this.previous = file.path().resolveSibling("token.previous");
    this.time = time;
  }

  boolean isMissing() {
    return Files.notExists(file.path(), LinkOption.NOFOLLOW_LINKS);
  }

  /** What changes when one of the files changes. */
  String stamp() throws IOException {
    return stamp(file.path()) + stamp(previous);
  }

  private static String stamp(Path path) throws IOException {
    return Files.exists(path, LinkOption.NOFOLLOW_LINKS)
        ? Files.readAttributes(path, "unix:ino,ctime,size,mode", LinkOption.NOFOLLOW_LINKS).toString()
        : "-";
  }

  @Override
  public String path() {
    return file.path().toString();
  }

  /** The tokens. */
  OperatorToken load() throws IOException {
    String token = file.read();
    return new OperatorToken(new Generation(Digests.of(token), created(), null), previous(), null);
  }

  @Override
  public Optional<OperatorToken> read() {
    try {
      return isMissing() ? Optional.empty() : Optional.of(load());
    } catch (IOException e) {
      throw new StorageException("cannot read " + file.path() + ": " + Errno.describe(e), e);
    }
  }

  @Override
  public Optional<OperatorToken> look() {
    try {
      return Files.isRegularFile(file.path(), LinkOption.NOFOLLOW_LINKS)
          ? Optional.of(new OperatorToken(new Generation(Digests.of(TokenFile.text(file.path())), created(), null),
              previous().stream().filter(it -> !it.isExpiredAt(time.now())).toList(), null))
          : Optional.empty();
    } catch (IOException e) {
      throw new StorageException("cannot read " + file.path() + ": " + Errno.describe(e), e);
    }
  }

  private Instant created() throws IOException {
    return Timestamps.wholeSecond(Files.getLastModifiedTime(file.path()).toInstant());
  }

  private List<Generation> previous() throws IOException {
    if (Files.notExists(previous, LinkOption.NOFOLLOW_LINKS)) {
      return List.of();
    }
    List<Generation> generations = new ArrayList<>();
    for (String line : Files.readAllLines(previous, StandardCharsets.ISO_8859_1)) {
      String[] words = line.strip().split(" ", -1);
      Optional<Instant> expires = words.length == 2 ? Timestamps.parse(words[1]) : Optional.empty();
      if (expires.isEmpty() || !words[0].matches("[0-9a-f]{64}")) {
        throw new IOException(previous + " was not written by `tower token rotate operator`; remove it");
      }
      generations.add(new Generation(words[0], null, expires.get()));
    }
    return generations;
  }

  /** Replaces the token; the previous ones stay valid for {@code overlap} at most. */
  RotatedOperator rotate(Duration overlap, NewTokens fresh) {
    try {
      if (isMissing()) {
        throw missing();
      }
      try (FileChannel guard = guard(); FileLock _ = guard.lock()) {
        return rotateAlone(overlap, fresh);
      }
    } catch (IOException e) {
      throw irreplaceable(e);
    }
  }

  StorageException missing() {
    return new StorageException("there is no operator token " + file.path()
        + " yet; the first start of `tower serve` creates it");
  }

  private StorageException irreplaceable(IOException e) {
    return new StorageException("cannot replace " + file.path() + ": " + Errno.describeWithFile(e), e);
  }

  private FileChannel guard() throws IOException {
    return WrittenFile.open(file.path().resolveSibling(".token.guard"), Also.CREATE);
  }

  private RotatedOperator rotateAlone(Duration overlap, NewTokens fresh) throws IOException {
    List<Generation> valid = fresh.ending(load(), overlap);
    writePrevious(valid);
    String token = fresh.next();
    Replacement.write(file.path(), ".token", token + "\n");
    OwnerOnly.sync(file.path().resolveSibling(""));
    return new RotatedOperator(new OperatorToken(fresh.generation(token, null), valid, null), file.path().toString());
  }

  private void writePrevious(List<Generation> valid) throws IOException {
    if (valid.isEmpty()) {
      Files.deleteIfExists(previous);
    } else {
      StringBuilder lines = new StringBuilder();
      for (Generation generation : valid) {
        lines.append(generation.sha256()).append(' ')
            .append(generation.expires() == null ? "" : Timestamps.format(generation.expires())).append('\n');
      }
      Replacement.write(previous, ".token", lines.toString());
    }
    OwnerOnly.sync(previous.resolveSibling(""));
  }

  @Override
  public Draft draft(String token) {
    Path directory = file.path().resolveSibling("");
    try {
      OwnerOnly.makeDirectories(directory);
      FileChannel guard = guard();
      try {
        guard.lock();
        Path fresh = Files.createTempFile(directory, ".token", ".new", OwnerOnly.FILE);
        WrittenFile.write(fresh, (token + "\n").getBytes(StandardCharsets.US_ASCII));
        return new FileDraft(fresh, guard);
      } catch (IOException e) {
        guard.close();
        throw e;
      }
    } catch (IOException e) {
      throw irreplaceable(e);
    }
  }

  /** A token in a temporary file, which holds the guard. */
  private final class FileDraft implements Draft {
    private final Path fresh;
    private final FileChannel guard;

    FileDraft(Path fresh, FileChannel guard) {
      this.fresh = fresh;
      this.guard = guard;
    }

    @Override
    public void keep() {
      try {
        Replacement.finish(fresh, file.path());
        Files.move(fresh, file.path(), StandardCopyOption.ATOMIC_MOVE);
        Files.deleteIfExists(previous);
        OwnerOnly.sync(file.path().resolveSibling(""));
      } catch (IOException e) {
        throw irreplaceable(e);
      }
    }

    @Override
    public void close() {
      try (guard) {
        Files.deleteIfExists(fresh);
      } catch (IOException e) {
        throw irreplaceable(e);
      }
    }
  }
}
