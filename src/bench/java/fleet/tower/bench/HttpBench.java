package fleet.tower.bench;

import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * A benchmark of a locked, audited, recorded run of {@code true} over HTTP: with one client against a bare process of
 * the same command, with eight against Debian's {@code webhook}, which has no lock, audit log or record.
 */
final class HttpBench {
  private static final int CLIENTS = 8;
  private static final int MAX_MORE_MILLIS = 4;
  private static final String NOOP = "/intents/noop";

  private final Path base;
  private final Path tower;

  HttpBench(Path base, Path tower) {
    this.base = base;
    this.tower = tower;
  }

  void run() throws Exception {
    try (ServedHome home = new ServedHome(base.resolve("served"), tower)) {
      System.out.printf(Locale.ROOT, "%-36s %6d MiB resident, idle, right after its start (limit 250)%n",
          "tower serve", home.residentMebibytes());
      try (KeepAliveConnection connection = home.connect()) {
        oneClient(connection);
        parts(connection);
        blocked(connection);
      }
      besideWebhook(home);
      System.out.printf(Locale.ROOT, "%-36s %6d MiB resident after all that%n", "tower serve",
          home.residentMebibytes());
    }
  }

  private static void oneClient(KeepAliveConnection connection) throws Exception {
    List<Double> runs = new ArrayList<>();
    List<Double> bare = new ArrayList<>();
    for (int i = 0; i < 1600; i++) {
      double run = millis(() -> expect(200, connection.call("POST", NOOP, body("one"))));
      double spawn = millis(() -> new ProcessBuilder("true").start().waitFor());
      if (i >= 600) {
        runs.add(run);
        bare.add(spawn);
      }
    }
    double more = Comparison.median(runs) - Comparison.median(bare);
    System.out.printf(Locale.ROOT,
        "%-36s %9.2f ms  bare process %.2f ms  p50 is %.2f ms more  limit %d ms  %s%n", "run of `true` over HTTP",
        Comparison.median(runs), Comparison.median(bare), more, MAX_MORE_MILLIS,
        more <= MAX_MORE_MILLIS ? "ok" : "OVER");
  }

  /** Calls that do part of a run's work. */
  private static void parts(KeepAliveConnection connection) throws Exception {
    part("  HTTP, token, a lock that is not", () -> expect(404, connection.call("GET", "/locks/none", "")));
    part("  + intent, values, plan", () -> expect(200, connection.call("POST", NOOP + "/plan", body("plan"))));
    part("  lock + unlock, audited, two calls", () -> {
      expect(201, connection.call("POST", "/locks/part", "{\"request_id\":\"part\"}"));
      return expect(200, connection.call("DELETE", "/locks/part?request_id=part", ""));
    });
    part("  the same run again, replayed", () -> expect(200,
        connection.call("POST", NOOP, "{\"params\":{\"lane\":\"again\"},\"request_id\":\"again\"}")));
  }

  private static void part(String what, Callable<?> call) throws Exception {
    System.out.printf(Locale.ROOT, "%-36s %9.2f ms p50%n", what, p50(call));
  }

  private static void blocked(KeepAliveConnection connection) throws Exception {
    expect(201, connection.call("POST", "/locks/noop-held", "{\"request_id\":\"held\"}"));
    double p50 = p50(() -> expect(409, connection.call("POST", NOOP, body("held"))));
    System.out.printf(Locale.ROOT, "%-36s %9.2f ms p50  limit 2 ms  %s%n", "run that is blocked", p50,
        p50 <= 2 ? "ok" : "OVER");
  }

  /** In turns, so that a drift in the machine's speed affects both alike. */
  private static void oneClient(ServedHome home, int webhookPort) throws Exception {
    try (KeepAliveConnection tower = home.connect();
        KeepAliveConnection webhook = new KeepAliveConnection(webhookPort, "none")) {
      List<Double> runs = new ArrayList<>();
      List<Double> hooks = new ArrayList<>();
      for (int round = 0; round < 5; round++) {
        runs.add(p50(() -> expect(200, tower.call("POST", NOOP, body("beside")))));
        hooks.add(p50(() -> webhook.call("POST", "/hooks/noop", "{}")));
      }
      System.out.printf(Locale.ROOT, "%-36s %9.2f ms p50  webhook %.2f ms%n", "the same, one client",
          Comparison.median(runs), Comparison.median(hooks));
    }
  }

  private static double p50(Callable<?> call) throws Exception {
    List<Double> taken = new ArrayList<>();
    for (int i = 0; i < 500; i++) {
      double millis = millis(call);
      if (i >= 200) {
        taken.add(millis);
      }
    }
    return Comparison.median(taken);
  }

  private void besideWebhook(ServedHome home) throws Exception {
    Path program = Path.of("/usr/bin/webhook");
    if (!Files.isExecutable(program)) {
      System.out.println("not compared with webhook, which is not installed: apt-get install webhook");
      return;
    }
    int port = freePort();
    Path hooks = Files.writeString(base.resolve("hooks.json"),
        "[{\"id\":\"noop\",\"execute-command\":\"/bin/true\",\"include-command-output-in-response\":true}]");
    Process webhook = new ProcessBuilder(program.toString(), "-hooks", hooks.toString(), "-ip", "127.0.0.1", "-port",
        Integer.toString(port)).redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.DISCARD).start();
    try {
      awaitPort(port);
      oneClient(home, port);
      List<Double> ours = new ArrayList<>();
      List<Double> others = new ArrayList<>();
      List<Double> ratios = new ArrayList<>();
      for (int round = 0; round < 6; round++) {
        double tower = rate(client -> home.connect(), (connection, client) -> connection.call("POST", NOOP,
            body("lane" + client)));
        double hook = rate(client -> new KeepAliveConnection(port, "none"),
            (connection, client) -> connection.call("POST", "/hooks/noop", "{}"));
        if (round > 0) {
          ours.add(tower);
          others.add(hook);
          ratios.add(tower / hook);
        }
      }
      double ratio = Comparison.median(ratios);
      System.out.printf(Locale.ROOT, "%-36s %9.0f /s  webhook %.0f /s  ratio %.2f  limit 0.50  %s%n",
          "runs by " + CLIENTS + " clients", Comparison.median(ours), Comparison.median(others), ratio,
          ratio >= 0.5 ? "ok" : "UNDER");
    } finally {
      webhook.destroy();
      webhook.waitFor();
    }
  }

  private interface Connect {
    KeepAliveConnection open(int client) throws IOException;
  }

  private interface Call {
    int make(KeepAliveConnection connection, int client) throws IOException;
  }

  /** The calls per second of all clients together that are answered with 200. */
  private static double rate(Connect connect, Call call) throws Exception {
    try (ExecutorService clients = Executors.newFixedThreadPool(CLIENTS)) {
      long begun = System.nanoTime();
      List<Future<Integer>> counts = new ArrayList<>();
      for (int client = 0; client < CLIENTS; client++) {
        int number = client;
        counts.add(clients.submit(() -> {
          int count = 0;
          try (KeepAliveConnection connection = connect.open(number)) {
            while (System.nanoTime() - begun < 2_000_000_000L) {
              expect(200, call.make(connection, number));
              count++;
            }
          }
          return count;
        }));
      }
      int all = 0;
      for (Future<Integer> count : counts) {
        all += count.get();
      }
      return all / ((System.nanoTime() - begun) / 1e9);
    }
  }

  private static String body(String lane) {
    return "{\"params\":{\"lane\":\"" + lane + "\"}}";
  }

  private static double millis(Callable<?> call) throws Exception {
    long begun = System.nanoTime();
    Object _ = call.call();
    return (System.nanoTime() - begun) / 1e6;
  }

  private static int expect(int status, int got) {
    if (status != got) {
      throw new IllegalStateException("answered " + got + ", not " + status);
    }
    return got;
  }

  private static int freePort() throws IOException {
    try (var socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    }
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
