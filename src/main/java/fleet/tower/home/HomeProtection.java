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
 * Checks that other users cannot change a home's intents or settings, which would let them run commands as its user.
 *
 * @param root the home's directory
 *
 * @param isOff whether the check is disabled, as in a container with a single user
 */
record HomeProtection(Path root, boolean isOff) implements Examination {
  private static final String CONSEQUENCE = "; any user who can change it can run commands as this user";

  /** Throws if other users could change the intents. */
  void requireIntents() {
    require(problem("intents"));
  }

  /** Throws if other users could change the service's settings. */
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

  /** Covers the directory and all files that Spring reads in it. */
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
