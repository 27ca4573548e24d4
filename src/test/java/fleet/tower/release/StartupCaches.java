package fleet.tower.release;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import fleet.tower.harness.Programs;

/** The training of a release's start-up caches, so that its commands start as fast as they do for a user. */
public final class StartupCaches {
  /** One command for each kind of cache. */
  private static final String TRAINING = """
      t() { "$0" "$@"; }
      { t check free; t guard free -- true; t intents; t serve --help; t mcp --help; } 9>&1 >/dev/null 2>&1""";

  private StartupCaches() {}

  /**
   * A directory for the beginning of a path of programs, whose {@code nice} keeps the priority: on a busy machine, a
   * program of the lowest priority may take minutes for a second of processor time. Each use by this user is a line in
   * the file {@code used}.
   */
  public static Path normalPriority(Path scratch) throws IOException {
    Path tools = Files.createDirectories(scratch.resolve("tools"));
    Programs.write(tools.resolve("nice"),
        "#!/bin/sh\n{ echo \"$1\" >>\"${0%/*}/used\"; } 2>/dev/null\nexec \"$@\"\n");
    return tools;
  }

  /** Trains one cache of each kind. A training outlives its command; the pipe ends when all have ended. */
  public static void train(Path launcher, Path scratch) throws IOException {
    for (String part : List.of("intents", "config")) {
      Files.createDirectories(scratch.resolve("home").resolve(part));
    }
    CommandEnvironment surroundings = new CommandEnvironment(scratch);
    surroundings.with("PATH", normalPriority(scratch) + ":" + surroundings.variable("PATH"))
        .with("HOME", scratch.toString()).with("TOWER_HOME", scratch.resolve("home").toString())
        .with("TOWER_LOCK_INSECURE_DIRECTORY", "true");
    Process training = surroundings.piped(List.of("sh", "-c", TRAINING, launcher.toString()));
    training.getInputStream().readAllBytes();
  }
}
