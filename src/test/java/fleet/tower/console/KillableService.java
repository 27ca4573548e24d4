package fleet.tower.console;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

import fleet.tower.harness.Await;
import fleet.tower.harness.ServiceProcess;
import fleet.tower.harness.TestFiles;
import fleet.tower.harness.TestRelease;

/**
 * The service as a process of its own, which is killed with SIGKILL and started again on the same port; and commands.
 */
final class KillableService implements AutoCloseable {
  private final Path home;
  private final Path output;
  private final List<Process> commands = new ArrayList<>();
  private String port = "0";
  private int starts;
  private @Nullable Process service;

  KillableService(Path home, Path output) {
    this.home = home;
    this.output = output;
    ConsoleHome.prepare(home);
    start();
  }

  /** Starts it and waits until it is ready. */
  void start() {
    starts++;
    Path out = output.resolve("out-" + starts);
    Path err = output.resolve("err-" + starts);
    Process started = process(out, err, "serve", "--port", port);
    service = started;
    port = ServiceProcess.awaitReady(started, out, err).group(2);
  }

  /** Kills it, and waits until it is gone. */
  void kill() {
    if (service != null) {
      service.destroyForcibly();
      Await.exitOf(service);
    }
  }

  String url() {
    return "http://127.0.0.1:" + port;
  }

  String operatorToken() {
    return TestFiles.text(home.resolve("state/token")).strip();
  }

  /** Starts a command on the same home; it is killed at the end at the latest. */
  Process command(String... line) {
    Process command = process(output.resolve("command"), output.resolve("command-err"), line);
    commands.add(command);
    return command;
  }

  private Process process(Path out, Path err, String... line) {
    ProcessBuilder builder = new ProcessBuilder(
        TestRelease.command(line[0].equals("serve") ? "serve" : "guards", List.of(), line))
        .redirectOutput(out.toFile()).redirectError(err.toFile());
    builder.environment().put("TOWER_HOME", home.toString());
    builder.environment().put("TOWER_LOCK_INSECURE_DIRECTORY", "true");
    builder.environment().put("TOWER_ACTOR", "alice");
    try {
      return builder.start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    for (Process command : commands) {
      command.descendants().forEach(ProcessHandle::destroyForcibly);
      command.destroyForcibly();
    }
    kill();
  }
}
