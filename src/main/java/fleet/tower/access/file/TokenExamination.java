package fleet.tower.access.file;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import fleet.tower.disk.Errno;
import fleet.tower.disk.ModeExamination;
import fleet.tower.doctor.Examination;
import fleet.tower.doctor.Finding;

/** Whether the operator's token can be read by its owner, and by nobody else. The token itself is never told. */
final class TokenExamination implements Examination {
  private static final String CHECK = "operator token";

  private final Path directory;

  TokenExamination(Path directory) {
    this.directory = directory;
  }

  @Override
  public List<Finding> examine() {
    List<Finding> findings = new ArrayList<>(new ModeExamination("state mode", directory).examine());
    Path token = directory.resolve("token");
    if (!Files.exists(token, LinkOption.NOFOLLOW_LINKS)) {
      findings.add(Finding.ok(CHECK, "none yet; `tower serve` writes one"));
      return findings;
    }
    findings.addAll(new ModeExamination("operator token mode", token).examine());
    findings.add(content(token));
    return findings;
  }

  private static Finding content(Path token) {
    String remedy = "remove it, and `tower serve` writes a new one";
    try {
      if (!Files.isRegularFile(token, LinkOption.NOFOLLOW_LINKS)) {
        return Finding.fail(CHECK, token + " is not a file", remedy);
      }
      return TokenFile.isToken(TokenFile.text(token))
          ? Finding.ok(CHECK, "whole")
          : Finding.fail(CHECK, token + " is not 32 to 512 characters without blanks on one line", remedy);
    } catch (IOException e) {
      return Finding.fail(CHECK, token + " cannot be read: " + Errno.describe(e), "look at its owner and mode");
    }
  }
}
