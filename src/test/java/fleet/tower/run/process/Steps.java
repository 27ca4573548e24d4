package fleet.tower.run.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

import fleet.tower.harness.Await;
import fleet.tower.intent.StepLimits;
import fleet.tower.lease.RequestId;
import fleet.tower.platform.disk.DiskReserve;
import fleet.tower.platform.secret.Secrets;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.platform.time.SystemTime;
import fleet.tower.run.Processes;

/** Starts steps in a temporary home, and records their ends. */
final class Steps implements AutoCloseable {
  static final RequestId RUN = new RequestId("req_1.a:b");
  static final Scheduler SCHEDULER = SystemTime.scheduler();
  static final long MOST_OUTPUT = 1L << 30;

  final Path home;
  final List<String> warnings = Collections.synchronizedList(new ArrayList<>());
  final HostProcesses processes;

  Steps(Path home) {
    this(home, Duration.ofSeconds(10), MOST_OUTPUT);
  }

  Steps(Path home, Duration grace, long maxLogBytes) {
    this.home = home;
    processes = (HostProcesses) settings(home, grace, maxLogBytes).open();
  }

  private Steps(Path home, Duration grace) {
    this.home = home;
    processes = settings(home, grace, MOST_OUTPUT).open(new WrapperSpawner(home, SCHEDULER));
  }

  /** Steps as on a machine without glibc. */
  static Steps wrapped(Path home, Duration grace) {
    return new Steps(home, grace);
  }

  private StepProcesses settings(Path at, Duration grace, long maxLogBytes) {
    return new StepProcesses(at, at.resolve("logs/runs"), SystemTime.source(), SCHEDULER, grace, maxLogBytes,
        DiskReserve.NONE,
        warnings::add);
  }

  /** A started step. */
  final class Running {
    final String logName;
    final CompletableFuture<Processes.Exit> exit = new CompletableFuture<>();
    final List<Processes.Exit> exits = Collections.synchronizedList(new ArrayList<>());
    final Processes.Started started;

    Running(String logName, Secrets secrets, Map<String, String> environment, List<String> argv) {
      this(logName, secrets, environment, argv, StepLimits.NONE);
    }

    Running(String logName, Secrets secrets, Map<String, String> environment, List<String> argv, StepLimits limits) {
      this.logName = logName;
      started = processes.start(
          new Processes.Command(RUN, logName, argv, environment, secrets, limits, Map.of(), false),
          ended -> {
            exits.add(ended);
            exit.complete(ended);
          });
      processes.execute(started::await);
    }

    Processes.Exit end() {
      return exit.join();
    }

    String output() {
      return new String(processes.read(RUN, logName, 0, 1 << 24).bytes(), StandardCharsets.UTF_8);
    }

    /** Waits until the output contains a text, and returns the whole output. */
    String awaitOutput(String text) {
      await(() -> output().contains(text), "output " + text);
      return output();
    }
  }

  Running start(String... argv) {
    return new Running("1-step", Secrets.NONE, Map.of(), List.of(argv));
  }

  Running named(String logName, String... argv) {
    return new Running(logName, Secrets.NONE, Map.of(), List.of(argv));
  }

  Running sh(String script) {
    return start("sh", "-c", script);
  }

  Path log(String logName) {
    return home.resolve("logs/runs/req_1.a:b/" + logName + ".log");
  }

  static void await(BooleanSupplier condition, String what) {
    Await.until(what, condition);
  }

  /** Whether a live process has a text in its environment or on its command line. */
  static boolean lives(String text) {
    try (Stream<Path> all = Files.list(Path.of("/proc"))) {
      return all.filter(path -> Character.isDigit(path.getFileName().toString().charAt(0)))
          .anyMatch(path -> (text(path.resolve("environ")) + text(path.resolve("cmdline"))).contains(text));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String text(Path file) {
    try {
      return Files.readString(file, StandardCharsets.ISO_8859_1);
    } catch (IOException gone) {
      return "";
    }
  }

  @Override
  public void close() {
    processes.close();
  }
}
