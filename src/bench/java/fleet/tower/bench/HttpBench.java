package fleet.tower.bench;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;

import fleet.tower.performance.Measure;
import fleet.tower.performance.Median;
import fleet.tower.performance.Report;

/**
 * A benchmark of a locked, audited, recorded run of {@code true} over HTTP: with one client against a bare process of
 * the same command, with eight against Debian's {@code webhook}, which has no lock, audit log or record.
 */
final class HttpBench {
  private static final int CLIENTS = 8;
  private static final Duration PERIOD = Duration.ofSeconds(2);
  private static final String NOOP = "/intents/noop";

  private final Path base;
  private final Path tower;

  HttpBench(Path base, Path tower) {
    this.base = base;
    this.tower = tower;
  }

  void run(Report report) throws Exception {
    try (ServedHome home = new ServedHome(base.resolve("served"), tower)) {
      report.add(Measure.IDLE, home.residentMebibytes());
      try (KeepAliveConnection connection = home.connect()) {
        oneClient(connection, report);
        parts(connection, report);
      }
      besideWebhook(home, report);
      report.add(Measure.MEMORY_LATER, home.residentMebibytes());
    }
  }

  private static void oneClient(KeepAliveConnection connection, Report report) throws Exception {
    Comparison comparison = new Comparison();
    for (int i = 0; i < 1600; i++) {
      double run = nanos(() -> connection.expect(200, "POST", NOOP, body("one")));
      double bare = nanos(() -> new ProcessBuilder("true").start().waitFor());
      if (i >= 600) {
        comparison.add(run, bare);
      }
    }
    comparison.report(report, Measure.RUN);
    report.add(Measure.RUN_ADDS, comparison.difference());
  }

  /** Calls that do part of a run's work. */
  private static void parts(KeepAliveConnection connection, Report report) throws Exception {
    report.add(Measure.REQUEST, p50(() -> connection.expect(404, "GET", "/locks/none", "")));
    report.add(Measure.PLAN, p50(() -> connection.expect(200, "POST", NOOP + "/plan", body("plan"))));
    report.add(Measure.LOCK_CALLS, p50(() -> {
      connection.expect(201, "POST", "/locks/part", "{\"request_id\":\"part\"}");
      return connection.expect(200, "DELETE", "/locks/part?request_id=part", "");
    }));
    report.add(Measure.REPLAY, p50(() -> connection.expect(200, "POST", NOOP,
        "{\"params\":{\"lane\":\"again\"},\"request_id\":\"again\"}")));
    connection.expect(201, "POST", "/locks/noop-held", "{\"request_id\":\"held\"}");
    report.add(Measure.BLOCKED, p50(() -> connection.expect(409, "POST", NOOP, body("held"))));
  }

  private static Comparison beside(ServedHome home, int webhookPort) throws Exception {
    Comparison comparison = new Comparison();
    try (KeepAliveConnection tower = home.connect();
        KeepAliveConnection webhook = new KeepAliveConnection(webhookPort, "none")) {
      for (int round = 0; round < 5; round++) {
        comparison.add(p50(() -> tower.expect(200, "POST", NOOP, body("beside"))),
            p50(() -> webhook.call("POST", "/hooks/noop", "{}")));
      }
    }
    return comparison;
  }

  private static double p50(Callable<?> call) throws Exception {
    List<Double> taken = new ArrayList<>();
    for (int i = 0; i < 500; i++) {
      double nanos = nanos(call);
      if (i >= 200) {
        taken.add(nanos);
      }
    }
    return Median.of(taken);
  }

  private void besideWebhook(ServedHome home, Report report) throws Exception {
    Path program = Path.of("/usr/bin/webhook");
    if (!Files.isExecutable(program)) {
      report.note("not compared with webhook, which is not installed: apt-get install webhook");
      return;
    }
    int port = ServeBench.freePort();
    Path hooks = Files.writeString(base.resolve("hooks.json"),
        "[{\"id\":\"noop\",\"execute-command\":\"/bin/true\",\"include-command-output-in-response\":true}]");
    Process webhook = new ProcessBuilder(program.toString(), "-hooks", hooks.toString(), "-ip", "127.0.0.1", "-port",
        Integer.toString(port)).redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.DISCARD).start();
    try {
      awaitPort(port);
      beside(home, port).report(report, Measure.RUN_LATER);
      Comparison rates = new Comparison();
      for (int round = 0; round < 6; round++) {
        double tower = KeepAliveConnection.rate(home.port(), home.token(), CLIENTS, PERIOD,
            (connection, client) -> connection.expect(200, "POST", NOOP, body("lane" + client)));
        double hook = KeepAliveConnection.rate(port, "none", CLIENTS, PERIOD,
            (connection, _) -> connection.expect(200, "POST", "/hooks/noop", "{}"));
        if (round > 0) {
          rates.add(tower, hook);
        }
      }
      rates.report(report, Measure.RUNS_8);
    } finally {
      webhook.destroy();
      webhook.waitFor();
    }
  }

  private static String body(String lane) {
    return "{\"params\":{\"lane\":\"" + lane + "\"}}";
  }

  private static double nanos(Callable<?> call) throws Exception {
    return Comparison.nanos(1, _ -> {
      Object _ = call.call();
    });
  }

  private static void awaitPort(int port) throws Exception {
    for (int i = 0; i < 100; i++) {
      try (KeepAliveConnection _ = new KeepAliveConnection(port, "none")) {
        return;
      } catch (IOException notYet) {
        new ProcessBuilder("sleep", "0.1").start().waitFor();
      }
    }
    throw new IOException("nothing listens on " + port);
  }
}
