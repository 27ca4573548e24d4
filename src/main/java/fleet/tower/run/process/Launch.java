package fleet.tower.run.process;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import fleet.tower.run.Processes;

/**
 * A program to start, its arguments, and its variables in addition to the inherited environment.
 *
 * @param program a path; a relative one starts at the home
 */
record Launch(String program, List<String> argv, Map<String, String> additions) {
  static final int NOT_FOUND = 127;
  static final int NOT_STARTED = 126;

  /** Variables that change how bash reads a script. */
  private static final Set<String> DROPPED = Set.of("BASH_ENV", "ENV", "SHELLOPTS", "BASHOPTS", "PS4");

  /**
   * Prefixes of shell functions, of variables that an executor sets for its own steps, and of settings of a service,
   * which contain passwords.
   */
  private static final List<String> DROPPED_PREFIXES = List.of("BASH_FUNC_", "TOWER_", "PARAM_", "SPRING_", "SERVER_",
      "MANAGEMENT_", "PG");
  private static final Pattern COLLECTORS_HEADERS = Pattern.compile("OTEL_.*HEADERS.*");
  private static final String DEFAULT_PATH = "/usr/local/bin:/usr/bin:/bin";

  /** Whether a step inherits a variable: no credential of this process, and no variable of another step. */
  static boolean isInherited(String name) {
    return !DROPPED.contains(name) && !COLLECTORS_HEADERS.matcher(name).matches()
        && DROPPED_PREFIXES.stream().noneMatch(name::startsWith);
  }

  /** The outcome of the search for a program. */
  sealed interface Search {}

  /** The program can be run. */
  record Found(String path) implements Search {}

  /** There is no such program, or it cannot be run. */
  record Missing(Processes.NotStarted why) implements Search {}

  /** Finds a program as execvp does: along the path if its name has no slash. */
  static Search find(String name, @Nullable String path, Path home) {
    if (name.isEmpty()) {
      return missing(NOT_FOUND, "the name of the program is empty");
    }
    if (name.indexOf('/') >= 0) {
      return examine(name, home);
    }
    boolean forbidden = false;
    for (String directory : (path == null ? DEFAULT_PATH : path).split(":", -1)) {
      String candidate = (directory.isEmpty() ? "." : directory) + "/" + name;
      if (home.resolve(candidate).toFile().isFile()) {
        if (home.resolve(candidate).toFile().canExecute()) {
          return new Found(candidate);
        }
        forbidden = true;
      }
    }
    return forbidden
        ? missing(NOT_STARTED, name + ": permission denied")
        : missing(NOT_FOUND, name + ": no such program on the path " + path);
  }

  private static Search examine(String name, Path home) {
    Path file = home.resolve(name);
    if (Files.notExists(file)) {
      return missing(NOT_FOUND, name + ": no such file");
    }
    return Files.isRegularFile(file) && Files.isExecutable(file)
        ? new Found(name)
        : missing(NOT_STARTED, name + (Files.isDirectory(file) ? ": is a directory" : ": permission denied"));
  }

  private static Search missing(int code, String problem) {
    return new Missing(new Processes.NotStarted(code, problem));
  }

  /** The first string that cannot be passed to the system, because it contains a NUL; null if there is none. */
  @Nullable
  String unpassable() {
    for (int i = 0; i < argv.size(); i++) {
      if (argv.get(i).indexOf(0) >= 0) {
        return "argument " + i + " has a NUL character";
      }
    }
    for (Map.Entry<String, String> variable : additions.entrySet()) {
      if (variable.getKey().indexOf(0) >= 0 || variable.getValue().indexOf(0) >= 0) {
        return "the environment variable " + variable.getKey().replace('\0', '?') + " has a NUL character";
      }
    }
    return null;
  }
}
