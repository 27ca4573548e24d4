package fleet.tower.harness;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** A real service that is killed and started again, each time at another address. */
public final class KillableService implements AutoCloseable {
  private final Installation tower;
  private final Path output;
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

  public void restart() throws IOException {
    restart(() -> {});
  }

  /** Kills it and starts it again; something else happens in between. */
  public void restart(Runnable between) throws IOException {
    process.destroyForcibly();
    Await.exitOf(process);
    between.run();
    process = start();
  }

  @Override
  public void close() {
    Await.kill(process);
  }
}
