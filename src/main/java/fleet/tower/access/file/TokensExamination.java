package fleet.tower.access.file;

import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import fleet.tower.access.Grant;
import fleet.tower.access.TokenLifetime;
import fleet.tower.platform.Examination;
import fleet.tower.platform.Finding;
import fleet.tower.platform.time.TimeSource;
import fleet.tower.platform.yaml.LoadedFile;

/** Checks that the tokens of others are readable, writable by their owner only, and not expired. */
record TokensExamination(Path path, boolean isFleet, TokenLifetime lifetime, TimeSource time) implements Examination {
  private static final String CHECK = "tokens";

  @Override
  public List<Finding> examine() {
    if (Files.notExists(path, LinkOption.NOFOLLOW_LINKS)) {
      return List.of(Finding.ok(CHECK, isFleet ? "none in a file of this host" : "only the operator's"));
    }
    LoadedFile.Result<List<Grant>> loaded = TokensFile.load(path, TokensReader.schema());
    List<Finding> findings = new ArrayList<>();
    loaded.complaints().forEach(complaint -> findings.add(complaint.isError()
        ? Finding.fail(CHECK, complaint.toString(),
            "fix it; until then the service uses the tokens that it read last")
        : Finding.warn(CHECK, complaint.toString(), "chmod 600 " + path)));
    List<Grant> grants = loaded.content();
    if (grants == null) {
      return findings;
    }
    findings.addAll(lifetime.examine(CHECK, grants, time.now()));
    if (findings.isEmpty()) {
      findings.add(Finding.ok(CHECK, grants.size() + ", all valid"));
    }
    return findings;
  }
}
