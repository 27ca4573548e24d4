package fleet.tower.lock.file;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import fleet.tower.harness.Await;
import fleet.tower.harness.JavaProcess;

/** Another JVM with the classes of this build and of its tests. */
public final class ChildJvm {
  private ChildJvm() {}

  /** The command that runs {@code main}. */
  public static List<String> command(Class<?> main, List<String> arguments) {
    return command(ChildClasses.Kind.FILES, main, arguments);
  }

  /** The command that runs {@code main} on a database, whose URL is the first argument. */
  public static List<String> commandOnDatabase(Class<?> main, String url, String... arguments) {
    List<String> all = new ArrayList<>(List.of(url));
    all.addAll(List.of(arguments));
    return command(url.startsWith("jdbc:sqlite:") ? ChildClasses.Kind.SQLITE : ChildClasses.Kind.POSTGRES, main, all);
  }

  private static List<String> command(ChildClasses.Kind kind, Class<?> main, List<String> arguments) {
    List<String> command = new ArrayList<>(List.of(JavaProcess.JAVA));
    command.addAll(ChildClasses.options(kind));
    command.add(main.getName());
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
}
