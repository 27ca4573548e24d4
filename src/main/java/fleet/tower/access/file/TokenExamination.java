package fleet.tower.access.file;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import fleet.tower.platform.Examination;
import fleet.tower.platform.Finding;
import fleet.tower.platform.disk.Errno;
import fleet.tower.platform.disk.ModeExamination;
import fleet.tower.platform.time.TimeSource;

/** Checks that the operator's token is readable by its owner only. Never reveals the token. */
final class TokenExamination implements Examination {
  private static final String CHECK = "operator token";

  /** A file younger than this is still being written, not orphaned. */
  private static final Duration WRITING = Duration.ofMinutes(1);

  private final Path directory;
  private final boolean isFleet;
  private final TimeSource time;

  TokenExamination(Path directory, boolean isFleet, TimeSource time) {
    this.directory = directory;
    this.isFleet = isFleet;
    this.time = time;
  }

  @Override
  public List<Finding> examine() {
    List<Finding> findings = new ArrayList<>(new ModeExamination("state mode", directory).examine());
    findings.addAll(leftovers());
    Path token = directory.resolve("token");
    if (!Files.exists(token, LinkOption.NOFOLLOW_LINKS)) {
      findings.add(Finding.ok(CHECK,
          isFleet ? "none on this host" : "none yet; `tower serve` creates one"));
      return findings;
    }
    findings.addAll(new ModeExamination("operator token mode", token).examine());
    findings.add(content(token));
    return findings;
  }

  /** Files of a process that was killed while writing a token; one may be the token itself under another name. */
  private List<Finding> leftovers() {
    try (Stream<Path> files = Files.list(directory)) {
      return files.filter(this::isLeftover).sorted()
          .map(file -> Finding.warn("orphan temp", file + " is left over from a process that died while writing",
              "rm " + file))
          .toList();
    } catch (IOException noDirectory) {
      return List.of();
    }
  }

  private boolean isLeftover(Path file) {
    try {
      return file.getFileName().toString().matches("\\.token.*\\.new") && Files
          .getLastModifiedTime(file, LinkOption.NOFOLLOW_LINKS).toInstant().isBefore(time.now().minus(WRITING));
    } catch (IOException goneMeanwhile) {
      return false;
    }
  }

  private Finding content(Path token) {
    String remedy = "remove it; `tower serve` then creates a new one";
    try {
      if (!Files.isRegularFile(token, LinkOption.NOFOLLOW_LINKS)) {
        return Finding.fail(CHECK, token + " is not a file", remedy);
      }
      return TokenFile.isToken(TokenFile.text(token))
          ? Finding.ok(CHECK, isFleet ? "readable" : "valid")
          : Finding.fail(CHECK, token + " is not one line of 32 to 512 characters without spaces", remedy);
    } catch (IOException e) {
      return Finding.fail(CHECK, token + " cannot be read: " + Errno.describe(e), "check its owner and mode");
    }
  }
}
