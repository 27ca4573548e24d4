package fleet.tower.harness;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A real service that is killed and started again, and commands beside it. */
public final class KillableService implements AutoCloseable {
  private final Installation tower;
  private final Path output;
  private final List<Process> commands = new ArrayList<>();
  private Process process;
  private volatile String url = "";
  private int starts;

  /** Starts it and waits until it is ready. */
  public KillableService(Installation tower) throws IOException {
    this.tower = tower;
    this.output = Files.createDirectories(tower.root().resolve("output"));
    this.process = start();
  }

  private Process start() throws IOException {
    Path out = output.resolve("out" + starts++);
    Path err = output.resolve("err");
    Process started = tower.start(List.of(tower.launcher().toString(), "serve", "--port", "0"), out, err);
    url = ServiceProcess.awaitReady(started, out, err).group(1);
    return started;
  }

  public Installation tower() {
    return tower;
  }

  public Process process() {
    return process;
  }

  public String url() {
    return url;
  }

  /** The token that the service makes for its operator. */
  public String operatorToken() {
    return TestFiles.text(tower.home().resolve("state/token")).strip();
  }

  /** Kills it with SIGKILL, and waits until it is gone. */
  public void kill() {
    process.destroyForcibly();
    Await.exitOf(process);
  }

  /** Kills it and starts it again at another address. */
  public void restart() throws IOException {
    restart(() -> {});
  }

  /** Kills it and starts it again at another address; something else happens in between. */
  public void restart(Runnable between) throws IOException {
    kill();
    between.run();
    process = start();
  }

  /** Starts it again at the address that it had, and waits until it is ready. */
  public void startAgain() throws IOException {
    String port = url.substring(url.lastIndexOf(':') + 1);
    process = tower.serveAgain(port, Files.createDirectory(output.resolve("start" + starts++)));
  }

  /** Starts a command in the same home; it is killed at the end at the latest. */
  public Process command(String... line) throws IOException {
    List<String> words = new ArrayList<>(List.of(tower.launcher().toString()));
    words.addAll(List.of(line));
    Process command = tower.start(words);
    commands.add(command);
    return command;
  }

  @Override
  public void close() {
    commands.forEach(Await::kill);
    Await.kill(process);
  }
}
