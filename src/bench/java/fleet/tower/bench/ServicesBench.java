package fleet.tower.bench;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

import fleet.tower.fleet.RandomProxy;
import fleet.tower.performance.Measure;
import fleet.tower.performance.Report;
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
  private static final Duration PERIOD = Duration.ofSeconds(3);

  private final Path base;
  private final Path tower;

  ServicesBench(Path base, Path tower) {
    this.base = base;
    this.tower = tower;
  }

  void run(Report report) throws Exception {
    String database = PostgresServer.newDatabase();
    List<ServedHome> homes = new ArrayList<>();
    try {
      for (int i = 1; i <= SERVICES; i++) {
        homes.add(new ServedHome(base.resolve("service-" + i), tower,
            Map.of("TOWER_DATABASE_URL", database, "TOWER_HOST_ID", "tower-" + i)));
      }
      measure(report, Measure.SERVICES_RUNS_2, Measure.SERVICES_RUNS_3, homes, (connection, client) -> connection
          .expect(200, "POST", "/intents/noop", "{\"params\":{\"lane\":\"lane" + client + "\"}}"));
      measure(report, Measure.SERVICES_LOCKS_2, Measure.SERVICES_LOCKS_3, homes, (connection, client) -> {
        String lock = "/locks/lock" + client;
        connection.expect(201, "POST", lock, "{\"request_id\":\"c" + client + "\"}");
        connection.expect(200, "DELETE", lock + "?request_id=c" + client, "");
      });
    } finally {
      homes.forEach(ServedHome::close);
    }
  }

  /** Measures one, two and three services in turns; the first round warms up. */
  private static void measure(Report report, Measure two, Measure three, List<ServedHome> homes,
      KeepAliveConnection.Operation operation) throws Exception {
    Comparison ofTwo = new Comparison();
    Comparison ofThree = new Comparison();
    for (int round = 0; round < ROUNDS; round++) {
      double one = rate(homes.subList(0, 1), operation);
      double rateOfTwo = rate(homes.subList(0, 2), operation);
      double rateOfThree = rate(homes, operation);
      if (round > 0) {
        ofTwo.add(rateOfTwo, one);
        ofThree.add(rateOfThree, one);
      }
    }
    ofTwo.report(report, two);
    ofThree.report(report, three);
  }

  private static double rate(List<ServedHome> homes, KeepAliveConnection.Operation operation) throws Exception {
    List<Supplier<String>> urls = homes.stream()
        .<Supplier<String>>map(home -> () -> "http://127.0.0.1:" + home.port()).toList();
    try (RandomProxy proxy = new RandomProxy(0, SEED, urls)) {
      return KeepAliveConnection.rate(URI.create(proxy.url()).getPort(), homes.getFirst().token(), CLIENTS, PERIOD,
          operation);
    }
  }
}
