package fleet.tower.release;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A directory and an environment in which commands run as a user types them. */
public final class CommandEnvironment {
  private static final long SECONDS = 600;
  private final Path directory;
  private final Map<String, String> environment = new HashMap<>();

  /** The environment has nothing of this process but the paths of programs and of a JDK. */
  public CommandEnvironment(Path directory) {
    this.directory = directory;
    with("PATH", System.getenv().getOrDefault("PATH", "/usr/bin:/bin")).with("JAVA_HOME",
        System.getProperty("java.home"));
  }

  /** The exit code of a command, and its stdout and stderr together. */
  public record Result(int exit, String output) {}

  public CommandEnvironment with(String name, String value) {
    environment.put(name, value);
    return this;
  }

  public String variable(String name) {
    return environment.getOrDefault(name, "");
  }

  /** Runs a command and waits for its end. */
  public Result run(List<String> command) {
    try {
      Path output = Files.createTempFile("output", ".txt");
      try {
        Process process = start(command, output);
        if (!process.waitFor(SECONDS, TimeUnit.SECONDS)) {
          process.destroyForcibly();
          throw new AssertionError("no end within " + SECONDS + " s: " + command + "\n" + Files.readString(output));
        }
        return new Result(process.exitValue(), Files.readString(output));
      } finally {
        Files.delete(output);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  public Result run(String... command) {
    return run(List.of(command));
  }

  /** Starts a command whose output goes to a file; the caller ends it. */
  public Process start(List<String> command, Path output) throws IOException {
    return builder(command).redirectErrorStream(true).redirectOutput(output.toFile()).start();
  }

  /** Starts a command whose output is read from a pipe; its errors are dropped. */
  Process piped(List<String> command) throws IOException {
    return builder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
  }

  private ProcessBuilder builder(List<String> command) {
    ProcessBuilder builder = new ProcessBuilder(command).directory(directory.toFile());
    builder.environment().clear();
    builder.environment().putAll(environment);
    return builder;
  }
}
