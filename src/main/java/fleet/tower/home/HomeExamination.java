package fleet.tower.home;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import fleet.tower.platform.Examination;
import fleet.tower.platform.Finding;

/** Checks the directory of the home. */
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
          .of(Finding.fail(CHECK, root + " is not a directory", "create it, or set TOWER_HOME to the intended home"));
    }
    if (!Files.isWritable(root)) {
      return List.of(Finding.fail(CHECK, root + " cannot be written",
          "run as its owner, or set TOWER_HOME to a home of your own"));
    }
    return List.of(Finding.ok(CHECK, root.toString()));
  }
}
