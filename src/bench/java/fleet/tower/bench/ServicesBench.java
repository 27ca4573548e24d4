package fleet.tower.bench;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Supplier;

import fleet.tower.fleet.RandomProxy;
import fleet.tower.platform.sql.PostgresServer;

/**
 * A benchmark of one, two and three services on one PostgreSQL, behind a proxy that picks a service at random for every
 * request. Clients, proxy, services and database share the processors of this host.
 */
final class ServicesBench {
  private static final int SERVICES = 3;
  private static final int CLIENTS = 8;
  private static final int ROUNDS = 6;
  private static final long SEED = 20;
  private static final long NANOS_EACH = 3_000_000_000L;

  private final Path base;
  private final Path tower;

  ServicesBench(Path base, Path tower) {
    this.base = base;
    this.tower = tower;
  }

  /** One run, or one lock, as calls on a connection. */
  private interface Operation {
    void make(KeepAliveConnection connection, int client) throws IOException;
  }

  void run() throws Exception {
    String database = PostgresServer.newDatabase();
    List<ServedHome> homes = new ArrayList<>();
    try {
      for (int i = 1; i <= SERVICES; i++) {
        homes.add(new ServedHome(base.resolve("service-" + i), tower,
            Map.of("TOWER_DATABASE_URL", database, "TOWER_HOST_ID", "tower-" + i)));
      }
      measure("runs", homes, (connection, client) -> expect(200,
          connection.call("POST", "/intents/noop", "{\"params\":{\"lane\":\"lane" + client + "\"}}")));
      measure("locks, acquired and released", homes, (connection, client) -> {
        String lock = "/locks/lock" + client;
        expect(201, connection.call("POST", lock, "{\"request_id\":\"c" + client + "\"}"));
        expect(200, connection.call("DELETE", lock + "?request_id=c" + client, ""));
      });
    } finally {
      homes.forEach(ServedHome::close);
    }
  }

  /** Measures one, two and three services in turns; the first round warms up. */
  private static void measure(String what, List<ServedHome> homes, Operation operation) throws Exception {
    List<List<Double>> rates = new ArrayList<>();
    List<List<Double>> ratios = new ArrayList<>();
    for (int services = 0; services < SERVICES; services++) {
      rates.add(new ArrayList<>());
      ratios.add(new ArrayList<>());
    }
    for (int round = 0; round < ROUNDS; round++) {
      double alone = 0;
      for (int services = 1; services <= SERVICES; services++) {
        double rate = rate(homes.subList(0, services), operation);
        alone = services == 1 ? rate : alone;
        if (round > 0) {
          rates.get(services - 1).add(rate);
          ratios.get(services - 1).add(rate / alone);
        }
      }
    }
    for (int services = 1; services <= SERVICES; services++) {
      System.out.printf(Locale.ROOT, "%-36s %9.0f /s  ratio to one service %.2f%n", what + ", services: " + services,
          Comparison.median(rates.get(services - 1)), Comparison.median(ratios.get(services - 1)));
    }
  }

  /** The operations per second of all clients together. */
  private static double rate(List<ServedHome> homes, Operation operation) throws Exception {
    List<Supplier<String>> urls = homes.stream()
        .<Supplier<String>>map(home -> () -> "http://127.0.0.1:" + home.port()).toList();
    String token = homes.getFirst().token();
    try (RandomProxy proxy = new RandomProxy(0, SEED, urls);
        ExecutorService clients = Executors.newFixedThreadPool(CLIENTS)) {
      int port = URI.create(proxy.url()).getPort();
      long begun = System.nanoTime();
      List<Future<Integer>> counts = new ArrayList<>();
      for (int client = 0; client < CLIENTS; client++) {
        int number = client;
        counts.add(clients.submit(() -> {
          int count = 0;
          try (KeepAliveConnection connection = new KeepAliveConnection(port, token)) {
            for (; System.nanoTime() - begun < NANOS_EACH; count++) {
              operation.make(connection, number);
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

  private static void expect(int status, int got) {
    if (status != got) {
      throw new IllegalStateException("answered " + got + ", not " + status);
    }
  }
}
