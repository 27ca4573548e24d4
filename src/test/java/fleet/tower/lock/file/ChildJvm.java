package fleet.tower.lock.file;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import org.assertj.core.api.Assertions;
import org.jspecify.annotations.NullMarked;

import fleet.tower.harness.Await;
import fleet.tower.harness.JavaProcess;

/** Another JVM on the class path of this test. */
public final class ChildJvm {
  private ChildJvm() {}

  /** The command that runs {@code main}. */
  public static List<String> command(Class<?> main, List<String> arguments) {
    List<String> command = new ArrayList<>(List.of(JavaProcess.JAVA, "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC",
        "-Xshare:auto", "-Xmx64m", "-cp", classPath(main),
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
    return Await.exitOf(process);
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
