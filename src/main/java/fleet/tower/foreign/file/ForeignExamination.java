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
import fleet.tower.platform.Examination;
import fleet.tower.platform.Finding;

/**
 * Checks the foreign locks that intents name: stale or doubtful ones, ones under version control, and ones in the wrong
 * directory.
 */
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
      findings.add(Finding.ok(CHECK, names.isEmpty() ? "none named" : names.size() + " named, none stale or doubtful"));
    }
    return findings;
  }

  private void examine(ForeignName name, List<Finding> findings) {
    Path path = paths.apply(name);
    ForeignLockState state = opener.open(name).state();
    switch (state) {
      case ForeignLockState.Free _,ForeignLockState.Cleared _,ForeignLockState.Held _ -> {
      }
      case ForeignLockState.Stale _ ->
        findings.add(Finding.warn(CHECK, name + " is " + state.describe(),
            name.kind() == ForeignName.Kind.BEADS ? "tower exclusive check " + path : "rm " + path));
      case ForeignLockState.Doubtful _ ->
        findings.add(Finding.warn(CHECK, name + " is " + state.describe(),
            "inspect " + path + ", and repair or remove it by hand"));
    }
    if (name.kind() == ForeignName.Kind.BEADS) {
      examineDatabase(path, findings);
    }
  }

  private static void examineDatabase(Path directory, List<Finding> findings) {
    if (Files.isDirectory(directory.resolve(".beads"))) {
      findings.add(Finding.warn(CHECK, directory + " contains a .beads directory, which has the lock",
          "write beads:" + directory.resolve(".beads")));
    }
    if (isCommitted(directory)) {
      findings.add(Finding.warn(CHECK, directory.resolve(BeadsLock.FILE)
          + " is tracked by git, so every clone would start locked",
          "git -C " + directory + " rm --cached " + BeadsLock.FILE + ", and add it to .gitignore"));
    }
  }

  /** False without git or without a repository. */
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
