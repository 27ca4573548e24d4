package fleet.tower.lock.file;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import org.assertj.core.api.Assertions;
import org.jspecify.annotations.NullMarked;

/** Another JVM on the class path of this test. */
public final class ChildJvm {
  private static final long LONGEST_SECONDS = 120;

  private ChildJvm() {}

  /** The command that runs {@code main}. */
  public static List<String> command(Class<?> main, List<String> arguments) {
    List<String> command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
        "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xshare:auto", "-Xmx64m", "-cp", classPath(main),
        main.getName()));
    command.addAll(arguments);
    return command;
  }

  /** Starts it; its output goes to a file. */
  public static Process start(Class<?> main, List<String> arguments, Path output) {
    return start(command(main, arguments), output);
  }

  public static Process start(List<String> command, Path output) {
    try {
      return new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile()).start();
    } catch (IOException e) {
      throw new AssertionError("a process does not start: " + command, e);
    }
  }

  /** Waits for its end and returns the exit code; a process that does not end is killed and an error. */
  public static int exitCode(Process process) {
    try {
      if (process.waitFor(LONGEST_SECONDS, TimeUnit.SECONDS)) {
        return process.exitValue();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    process.destroyForcibly();
    throw new AssertionError("a process did not end within " + LONGEST_SECONDS + " s");
  }

  /** Sends a signal to one process, by its id. */
  public static void signal(Process process, String signal) {
    try {
      exitCode(new ProcessBuilder("kill", "-" + signal, Long.toString(process.pid())).start());
    } catch (IOException e) {
      throw new AssertionError("kill cannot be run", e);
    }
  }

  private static String classPath(Class<?> main) {
    return location(main) + ":" + location(FileLocks.class) + ":" + location(NullMarked.class) + ":"
        + location(Assertions.class);
  }

  private static Path location(Class<?> type) {
    URL place = requireNonNull(type.getProtectionDomain().getCodeSource()).getLocation();
    try {
      return Path.of(place.toURI());
    } catch (URISyntaxException e) {
      throw new AssertionError("no path of " + type, e);
    }
  }
}
