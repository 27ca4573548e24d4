package fleet.tower.access.file;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.random.RandomGenerator;

import fleet.tower.access.Generation;
import fleet.tower.access.Tokens.OperatorToken;
import fleet.tower.access.Tokens.RotatedOperator;
import fleet.tower.platform.StorageException;
import fleet.tower.platform.disk.Errno;
import fleet.tower.platform.disk.OwnerOnly;
import fleet.tower.platform.time.TimeSource;
import fleet.tower.platform.time.Timestamps;

/**
 * The operator's own token in {@code state/token}, and the digests of the previous ones that are still valid in
 * {@code state/token.previous}, one per line with its expiry.
 *
 * <p>A rotation writes the previous ones first, and a reader reads them last. So no token is missing at any moment,
 * also after a crash in between.
 */
final class OperatorFile {
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

  /** The tokens. */
  OperatorToken read() throws IOException {
    String token = file.read();
    return new OperatorToken(new Generation(digest(token), created(), null), previous());
  }

  /** The same without changing or reporting anything; empty if there is no token. */
  Optional<OperatorToken> look() {
    try {
      return Files.isRegularFile(file.path(), LinkOption.NOFOLLOW_LINKS)
          ? Optional.of(new OperatorToken(new Generation(digest(TokenFile.text(file.path())), created(), null),
              previous().stream().filter(it -> !it.isExpiredAt(time.now())).toList()))
          : Optional.empty();
    } catch (IOException e) {
      throw new StorageException("cannot read " + file.path() + ": " + Errno.describe(e), e);
    }
  }

  private Instant created() throws IOException {
    return Timestamps.wholeSecond(Files.getLastModifiedTime(file.path()).toInstant());
  }

  private static String digest(String token) {
    return HexFormat.of().formatHex(Digests.sha256(token));
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
  RotatedOperator rotate(Duration overlap, RandomGenerator random) {
    try {
      if (isMissing()) {
        throw new StorageException("there is no operator token " + file.path()
            + " yet; the first start of `tower serve` creates it");
      }
      try (FileChannel guard = FileChannel.open(file.path().resolveSibling(".token.guard"),
          Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE), OwnerOnly.FILE); FileLock _ = guard.lock()) {
        return rotateAlone(overlap, random);
      }
    } catch (IOException e) {
      throw new StorageException("cannot replace " + file.path() + ": " + Errno.describeWithFile(e), e);
    }
  }

  private RotatedOperator rotateAlone(Duration overlap, RandomGenerator random) throws IOException {
    OperatorToken before = read();
    Instant now = time.now();
    Instant latest = Timestamps.wholeSecond(now.plus(overlap));
    List<Generation> valid = new ArrayList<>(List.of(before.current().until(latest)));
    before.previous().forEach(it -> valid.add(it.until(latest)));
    valid.removeIf(it -> overlap.isZero() || it.isExpiredAt(now));
    writePrevious(valid);
    String token = TokenFile.newToken(random);
    Replacement.write(file.path(), ".token", token + "\n");
    OwnerOnly.sync(file.path().resolveSibling(""));
    return new RotatedOperator(new OperatorToken(new Generation(digest(token), now, null), valid),
        file.path().toString());
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
}
