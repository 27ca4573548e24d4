package fleet.tower.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.fleet.ServiceFleet.Host;
import fleet.tower.harness.LongProfile;
import fleet.tower.harness.TestFiles;
import fleet.tower.platform.sql.DedicatedServer;
import fleet.tower.platform.sql.DirectTables;
import fleet.tower.platform.sql.PostgresServer;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.platform.time.SystemTime;
import fleet.tower.platform.time.TimeSource;
import fleet.tower.service.config.TestService;

@DisplayName("Real services behind a proxy that picks one at random, with a PostgreSQL")
class ThreeServicesTest {
  private static final int HOSTS = 3;
  private static final long SEED = Long.getLong("fleet.seed", 20251219);
  private static final Duration LONGER_THAN_TTL = Duration.ofMillis(2500);
  private static final String TERMINATE = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
      + " WHERE application_name LIKE 'tower%' AND datname = current_database()";
  /** The settings of a fleet that must continue within seconds. */
  private static final String IMPATIENT = "&connectTimeout=1&socketTimeout=2&hostRecheckSeconds=1";
  private static final int DISTURBANCES = Integer.getInteger("fleet.disturbances", 60);
  private static final int WORKERS = 2;
  private static final int MANY_RUNS = 1000;
  private static final Duration BETWEEN_KILLS = Duration.ofSeconds(10);

  private final TimeSource time = SystemTime.source();
  private final Scheduler scheduler = SystemTime.scheduler();
  private final Random random = new Random(SEED);
  private final Map<String, Integer> disturbed = new TreeMap<>();

  @TempDir
  private Path temp = Path.of("not-yet");

  private static void prepare(Path home, Path directory) {
    FleetLoad.declare(home, directory);
    TestService.declare(home, "once", """
        mode: observe
        steps:
          - name: once
            script: |
              echo "$TOWER_REQUEST_ID" >>BEGUN
              until [ -e GO ]; do sleep 0.1; done
              sleep 0.3
        """.replace("BEGUN", directory.resolve("begun").toString())
        .replace("GO", directory.resolve("go").toString()));
    TestFiles.write(home.resolve("config/application.yaml"), """
        tower:
          heartbeat: { max-interval: 1s }
          queue: { lease: 3s, workers: %d }
          shutdown: { grace: 1s }
        """.formatted(WORKERS));
  }

  private ServiceFleet fleet(String database) {
    return new ServiceFleet(temp, SEED, Collections.nCopies(HOSTS, database), home -> prepare(home, temp));
  }

  @Test
  @Timeout(1800)
  @LongProfile
  @DisplayName("TF-1.1 killed, stopped, cut off: no two hold a lock, and no run or message is lost")
  void hammered() throws Exception {
    String database = PostgresServer.newDatabase();
    try (ServiceFleet fleet = fleet(database)) {
      FleetLoad load = new FleetLoad(fleet, temp);
      load.begin();
      for (int i = 0; i < DISTURBANCES; i++) {
        scheduler.pause(Duration.ofMillis(700 + random.nextInt(600)));
        disturb(i % 3, fleet.hosts().get(random.nextInt(HOSTS)), database);
      }
      String told = load.judge();
      System.out.println("fleet behind a proxy: " + disturbed + ", " + told);
    }
  }

  private void disturb(int how, Host victim, String database) {
    switch (how) {
      case 0 -> {
        victim.kill();
        victim.start();
        disturbed.merge("killed", 1, Integer::sum);
      }
      case 1 -> {
        victim.stopFor(LONGER_THAN_TTL);
        disturbed.merge("stopped", 1, Integer::sum);
      }
      default -> disturbed.merge("connections cut", new DirectTables(database).look(TERMINATE).size(), Integer::sum);
    }
  }

  @Test
  @Timeout(1800)
  @LongProfile
  @DisplayName("TF-1.1 a host is killed every ten seconds while runs are queued: each run begins once and ends")
  void queuedUnderKills() {
    try (ServiceFleet fleet = fleet(PostgresServer.newDatabase())) {
      long begun = time.nanos();
      letGo();
      CompletableFuture<Void> submitted = CompletableFuture.runAsync(() -> submit(fleet, MANY_RUNS));
      int kills = killUntilTheQueueIsEmpty(fleet, submitted);
      submitted.join();
      Map<String, Integer> ends = judge(fleet, MANY_RUNS);
      System.out.println(MANY_RUNS + " queued runs on " + HOSTS + " hosts, " + kills + " kills, " + ends + ", "
          + lines().size() + " begun, in " + Duration.ofNanos(time.nanos() - begun).toMillis() + " ms");
      assertThat(kills).isGreaterThanOrEqualTo(2);
    }
  }

  /** Kills the hosts in turn. Each is back before the next is killed, so that two work however slow the machine is. */
  private int killUntilTheQueueIsEmpty(ServiceFleet fleet, CompletableFuture<Void> submitted) {
    int kills = 0;
    int first = random.nextInt(HOSTS);
    while (awaitKill(fleet, submitted)) {
      Host victim = fleet.hosts().get((first + kills) % HOSTS);
      victim.kill();
      victim.start();
      kills++;
    }
    return kills;
  }

  /** Waits for the time of the next kill; false if all runs have ended before. */
  private boolean awaitKill(ServiceFleet fleet, CompletableFuture<Void> submitted) {
    long since = time.nanos();
    while (!submitted.isDone() || !fleet.call("GET", "/mailboxes/tower-runs", "").body().contains("\"messages\":0,")) {
      if (time.nanos() - since > BETWEEN_KILLS.toNanos()) {
        return true;
      }
      scheduler.pause(Duration.ofMillis(50));
    }
    return false;
  }

  private void letGo() {
    TestFiles.write(temp.resolve("go"), "");
  }

  private List<String> lines() {
    return TestFiles.textIfAny(temp.resolve("begun")).lines().toList();
  }

  private static void submit(ServiceFleet fleet, int runs) {
    for (int i = 0; i < runs; i++) {
      assertThat(fleet.call("POST", "/intents/once", "{\"request_id\":\"once-" + i + "\",\"queue\":true}").statusCode())
          .isIn(200, 202);
    }
  }

  /** Waits until each run has ended, and counts how; none may have begun twice. */
  private Map<String, Integer> judge(ServiceFleet fleet, int runs) {
    Map<String, Integer> ends = new TreeMap<>();
    for (int i = 0; i < runs; i++) {
      ends.merge(FleetLoad.endOf(fleet, "once-" + i), 1, Integer::sum);
    }
    assertThat(lines()).doesNotHaveDuplicates();
    assertThat(ends.keySet()).isSubsetOf("succeeded", "interrupted");
    int succeeded = ends.getOrDefault("succeeded", 0);
    assertThat(succeeded).isGreaterThan(runs / 2);
    assertThat(lines()).hasSizeGreaterThanOrEqualTo(succeeded);
    return ends;
  }

  @Test
  @Timeout(1800)
  @LongProfile
  @DisplayName("TF-1.1 a standby takes over from a server that is killed: no two hold a lock, nothing is lost")
  void failover() throws Exception {
    try (DedicatedServer primary = DedicatedServer.begin(temp.resolve("server-0"));
        DedicatedServer standby = primary.standby(temp.resolve("server-1"))) {
      primary.awaitStandby();
      String database = DedicatedServer.urlOf(List.of(primary, standby)) + IMPATIENT;
      try (ServiceFleet fleet = fleet(database)) {
        FleetLoad load = new FleetLoad(fleet, temp);
        load.begin();
        scheduler.pause(Duration.ofSeconds(10));
        primary.kill();
        standby.promote();
        scheduler.pause(Duration.ofSeconds(20));
        System.out.println("failover of a fleet: " + load.judge());
      }
    }
  }
}
