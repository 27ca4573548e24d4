package fleet.tower.home;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

import fleet.tower.platform.Examination;
import fleet.tower.platform.Finding;
import fleet.tower.platform.disk.Errno;
import fleet.tower.platform.disk.WriteAccess;
import fleet.tower.platform.disk.WriteAccess.Problem;
import fleet.tower.policy.yaml.PolicyFiles;

/**
 * Checks that only this user and root can change a home, in which other users could place commands to run, and links
 * to files to write: that they own its parts and everything on the way to them, links and their targets included, and
 * that others cannot write there. Groups may write, except in intents and settings.
 *
 * @param root the home's directory
 *
 * @param isOff whether the check is disabled, as in a container with a single user
 */
record HomeProtection(Path root, boolean isOff) implements Examination {
  private static final String CONSEQUENCE = "; any user who can change it can run commands as this user";
  private static final List<String> OF_COMMANDS = List.of("intents", "config", "config/application.yaml",
      "config/" + PolicyFiles.NAME);
  private static final List<String> OF_DATA = List.of("state", "logs");

  /**
   * Requires that only this user and root can change the home.
   *
   * @throws NoHomeException if others can
   */
  void require() {
    require(owner().or(() -> Stream.concat(OF_COMMANDS.stream().flatMap(part -> problem(part).stream()),
        OF_DATA.stream().flatMap(part -> WriteAccess.problemBesidesGroups(root.resolve(part)).stream())).findFirst()));
  }

  /**
   * The same for all files that Spring reads.
   *
   * @throws NoHomeException if other users could change one
   */
  void requireSettings() {
    require(settingsProblem());
  }

  private void require(Optional<Problem> problem) {
    problem.filter(_ -> !isOff).ifPresent(it -> {
      throw NoHomeException.untrusted(it.path() + " " + it.message() + CONSEQUENCE, it.remedy());
    });
  }

  @Override
  public List<Finding> examine() {
    if (!Files.isDirectory(root)) {
      return List.of();
    }
    Optional<Problem> owner = owner();
    if (owner.isPresent()) {
      return List.of(finding("home access", owner, isOff));
    }
    List<Finding> findings = new ArrayList<>(List.of(finding("intents access", problem("intents"), isOff),
        finding("config access", settingsProblem(), isOff)));
    for (String part : OF_DATA) {
      Path path = root.resolve(part);
      Optional<Problem> problem = WriteAccess.problemBesidesGroups(path);
      findings.add(problem.isPresent()
          ? finding(part + " access", problem, isOff)
          : finding(part + " access", WriteAccess.problem(path), true));
    }
    return findings;
  }

  private Finding finding(String check, Optional<Problem> problem, boolean isAllowed) {
    if (problem.isEmpty()) {
      return Finding.ok(check, "only this user and root can write there");
    }
    Problem found = problem.get();
    String message = found.path() + " " + found.message() + CONSEQUENCE;
    return isAllowed
        ? Finding.warn(check, isOff ? message + "; allowed by TOWER_INSECURE_FILES" : message, found.remedy())
        : Finding.fail(check, message, found.remedy());
  }

  /** The problem of a home that belongs to somebody else, who can work with it. */
  private Optional<Problem> owner() {
    try {
      Object owner = Files.getAttribute(root, "unix:uid");
      if (WriteAccess.isTrusted(owner)) {
        return Optional.empty();
      }
      String name = Files.getOwner(root).getName();
      String user = name.equals(owner.toString()) ? "'#" + owner + "'" : name;
      return Optional.of(new Problem(root, "is owned by " + name + ", not by this user or root",
          "sudo -u " + user + " tower …"));
    } catch (NoSuchFileException absent) {
      return Optional.empty();
    } catch (IOException e) {
      return Optional.of(new Problem(root, "cannot be examined: " + Errno.describe(e), "check its owner and mode"));
    }
  }

  private Optional<Problem> problem(String part) {
    return WriteAccess.problem(root.resolve(part));
  }

  /** Covers the directory, the policy, and all files that Spring reads in it. */
  private Optional<Problem> settingsProblem() {
    List<Path> paths = new ArrayList<>(
        List.of(root.resolve("config"), root.resolve("config").resolve(PolicyFiles.NAME)));
    try (DirectoryStream<Path> files = Files.newDirectoryStream(root.resolve("config"), "application*")) {
      files.forEach(paths::add);
    } catch (IOException unreadable) {
      return problem("config");
    }
    return paths.stream().flatMap(path -> WriteAccess.problem(path).stream()).findFirst();
  }
}
