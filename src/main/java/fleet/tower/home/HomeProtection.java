package fleet.tower.home;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import fleet.tower.platform.StorageException;
import fleet.tower.platform.check.Examination;
import fleet.tower.platform.check.Finding;
import fleet.tower.platform.disk.WriteAccess;

/**
 * Whether others than the user of a home could change its intents or settings, and so run commands as that user.
 *
 * @param root the home's directory
 * @param isOff whether the check is switched off, as in a container with a single user
 */
record HomeProtection(Path root, boolean isOff) implements Examination {
  private static final String CONSEQUENCE = ", and whoever changes it can run commands as this user";

  /** Refuses intents that others could change. */
  void requireIntents() {
    require(problem("intents"));
  }

  /** Refuses settings of a service that others could change. */
  void requireSettings() {
    require(settingsProblem());
  }

  private void require(Optional<WriteAccess.Problem> problem) {
    problem.filter(_ -> !isOff).ifPresent(it -> {
      throw new StorageException(it.path() + " " + it.message() + CONSEQUENCE + "; " + it.remedy());
    });
  }

  @Override
  public List<Finding> examine() {
    return Files.isDirectory(root)
        ? List.of(finding("intents access", problem("intents")), finding("config access", settingsProblem()))
        : List.of();
  }

  private Finding finding(String check, Optional<WriteAccess.Problem> problem) {
    if (problem.isEmpty()) {
      return Finding.ok(check, "only this user and root can write there");
    }
    WriteAccess.Problem found = problem.get();
    String message = found.path() + " " + found.message() + CONSEQUENCE;
    return isOff
        ? Finding.warn(check, message + "; allowed by TOWER_INSECURE_FILES", found.remedy())
        : Finding.fail(check, message, found.remedy());
  }

  private Optional<WriteAccess.Problem> problem(String part) {
    return WriteAccess.problem(root.resolve(part));
  }

  /** Of the directory, and of all that Spring reads in it. */
  private Optional<WriteAccess.Problem> settingsProblem() {
    List<Path> paths = new ArrayList<>(List.of(root.resolve("config")));
    try (DirectoryStream<Path> files = Files.newDirectoryStream(root.resolve("config"), "application*")) {
      files.forEach(paths::add);
    } catch (IOException unreadable) {
      return problem("config");
    }
    return paths.stream().flatMap(path -> WriteAccess.problem(path).stream()).findFirst();
  }
}
