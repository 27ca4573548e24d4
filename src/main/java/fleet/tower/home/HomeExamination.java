package fleet.tower.home;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.List;

import fleet.tower.doctor.Examination;
import fleet.tower.doctor.Finding;

/** The directory of the home itself. */
final class HomeExamination implements Examination {
  private static final String CHECK = "home";

  private final Path root;

  HomeExamination(Path root) {
    this.root = root;
  }

  @Override
  public List<Finding> examine() {
    if (!Files.isDirectory(root)) {
      return List
          .of(Finding.fail(CHECK, root + " is not a directory", "make it, or set TOWER_HOME to the home you mean"));
    }
    if (!Files.isWritable(root)) {
      return List.of(Finding.fail(CHECK, root + " cannot be written",
          "run as its owner, or set TOWER_HOME to a home of your own"));
    }
    return List.of(isEverybodys()
        ? Finding.warn(CHECK, root + " is world-writable: anybody can put intents and locks of his own in their place",
            "chmod o-w " + root)
        : Finding.ok(CHECK, root.toString()));
  }

  private boolean isEverybodys() {
    try {
      return Files.getPosixFilePermissions(root).contains(PosixFilePermission.OTHERS_WRITE);
    } catch (IOException e) {
      return false;
    }
  }
}
