package fleet.tower.foreign.file;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;

import fleet.tower.foreign.ForeignLock;
import fleet.tower.foreign.ForeignLockState;
import fleet.tower.foreign.ForeignName;
import fleet.tower.platform.check.Examination;
import fleet.tower.platform.check.Finding;

/** The foreign locks that intents name: which of them need somebody, and which lie in a repository or in the wrong place. */
final class ForeignExamination implements Examination {
  private static final String CHECK = "foreign locks";

  private final Supplier<List<ForeignName>> named;
  private final ForeignLock.Opener opener;
  private final Function<ForeignName, Path> paths;

  ForeignExamination(Supplier<List<ForeignName>> named, ForeignLock.Opener opener, Function<ForeignName, Path> paths) {
    this.named = named;
    this.opener = opener;
    this.paths = paths;
  }

  @Override
  public List<Finding> examine() {
    List<ForeignName> names = named.get();
    List<Finding> findings = new ArrayList<>();
    names.forEach(name -> examine(name, findings));
    if (findings.isEmpty()) {
      findings.add(Finding.ok(CHECK, names.isEmpty() ? "none named" : names.size() + " named, none stale or in doubt"));
    }
    return findings;
  }

  private void examine(ForeignName name, List<Finding> findings) {
    Path path = paths.apply(name);
    ForeignLockState verdict = opener.open(name).look();
    switch (verdict) {
      case ForeignLockState.Free _,ForeignLockState.Cleared _,ForeignLockState.Held _ -> {
      }
      case ForeignLockState.Stale _ ->
        findings.add(Finding.warn(CHECK, name + " is " + verdict.describe(),
            name.kind() == ForeignName.Kind.BEADS ? "tower exclusive check " + path : "rm " + path));
      case ForeignLockState.Doubtful _ ->
        findings.add(Finding.warn(CHECK, name + " is " + verdict.describe(),
            "look at " + path + "; what lies there has to be mended or removed by hand"));
    }
    if (name.kind() == ForeignName.Kind.BEADS) {
      examineDatabase(path, findings);
    }
  }

  private static void examineDatabase(Path directory, List<Finding> findings) {
    if (Files.isDirectory(directory.resolve(".beads"))) {
      findings.add(Finding.warn(CHECK, directory + " has a .beads of its own, and the lock lies in there",
          "write beads:" + directory.resolve(".beads")));
    }
    if (isCommitted(directory)) {
      findings.add(Finding.warn(CHECK, directory.resolve(BeadsLock.FILE)
          + " is under git's control, so every clone would begin locked",
          "git -C " + directory + " rm --cached " + BeadsLock.FILE + ", and put it into .gitignore"));
    }
  }

  /** Where there is no git, or no repository, nothing is. */
  private static boolean isCommitted(Path directory) {
    if (!Files.isDirectory(directory)) {
      return false;
    }
    try {
      Process git = new ProcessBuilder("git", "-C", directory.toString(), "ls-files", "--error-unmatch", "--",
          BeadsLock.FILE).redirectOutput(ProcessBuilder.Redirect.DISCARD).redirectError(ProcessBuilder.Redirect.DISCARD)
          .start();
      return git.waitFor() == 0;
    } catch (IOException noGit) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
