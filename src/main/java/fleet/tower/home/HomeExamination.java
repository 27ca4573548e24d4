package fleet.tower.home;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import fleet.tower.doctor.Examination;
import fleet.tower.doctor.Finding;

/** The home itself, and the Java that runs this. */
final class HomeExamination implements Examination {
  private final Path root;

  HomeExamination(Path root) {
    this.root = root;
  }

  @Override
  public List<Finding> examine() {
    Finding java = Finding.ok("java", Runtime.version().toString());
    if (!Files.isDirectory(root)) {
      return List.of(java,
          Finding.fail("home", root + " is not a directory", "make it, or set TOWER_HOME to the home you mean"));
    }
    return List.of(java, Files.isWritable(root)
        ? Finding.ok("home", root.toString())
        : Finding.fail("home", root + " cannot be written",
            "run as its owner, or set TOWER_HOME to a home of your own"));
  }
}
