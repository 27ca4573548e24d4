package fleet.tower.hammer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.harness.Extent;
import fleet.tower.harness.Installation;
import fleet.tower.harness.KillableService;
import fleet.tower.harness.ProofsProfile;
import fleet.tower.lock.Competitor;
import fleet.tower.lock.HammerHistory;
import fleet.tower.lock.file.ChildJvm;
import fleet.tower.platform.sql.DirectTables;
import fleet.tower.platform.sql.PostgresServer;
import fleet.tower.platform.sql.StallingProxy;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.platform.time.SystemTime;
import fleet.tower.platform.time.TimeSource;

/** Runs only in the longer profile: {@code ./mvnw verify -Plong}. */
@DisplayName("Three real services on one PostgreSQL server, eight clients each: killed, stopped, cut off, stalled")
@ProofsProfile
class FleetHammerTest {
  private static final int SERVICES = 3;
  private static final int CLIENTS_EACH = 8;
  private static final long SECONDS = Long.getLong("hammer.seconds", Extent.of(6, 180)) / 3;
  private static final Duration LONGER_THAN_TTL = Duration.ofMillis(3500);
  private static final String TERMINATE = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
      + " WHERE application_name LIKE 'tower%' AND datname = current_database()";

  private final TimeSource time = SystemTime.source();
  private final Scheduler scheduler = SystemTime.scheduler();
  private final Random random = new Random(20251218);
  private final String database = PostgresServer.newDatabase();
  private final List<KillableService> services = new ArrayList<>();
  private final List<ServiceClient> clients = new ArrayList<>();
  private final List<Thread> threads = new ArrayList<>();
  private final Map<String, Integer> disturbed = new TreeMap<>();

  @TempDir
  private Path temp = Path.of("not-yet");

  private KillableService start(int number, String url) throws IOException {
    return new KillableService(new Installation(temp.resolve("host" + number)).with("TOWER_DATABASE_URL", url)
        .with("TOWER_HOST_ID", "tower-0" + number));
  }

  /** The first service creates the token of all. */
  private String token() {
    return services.getFirst().operatorToken();
  }

  @Test
  @Timeout(1800)
  @DisplayName("TF-1.1 TF-1.2 no two clients hold a lock at once, tokens grow, and all services recover")
  void hammered() throws Exception {
    assumeTrue(SECONDS >= 20, "it takes the services longer to start than the rest");
    Path histories = Files.createDirectory(temp.resolve("histories"));
    try (StallingProxy wire = new StallingProxy(database)) {
      for (int i = 0; i < SERVICES; i++) {
        KillableService service = start(i, i == 0 ? wire.url() : database);
        services.add(service);
        for (int j = 0; j < CLIENTS_EACH; j++) {
          clients.add(new ServiceClient("s" + i + "c" + j, service::url, token(), histories));
        }
      }
      clients.forEach(client -> threads.add(Thread.ofPlatform().daemon().start(client)));
      long end = time.nanos() + Duration.ofSeconds(SECONDS).toNanos();
      for (int i = 0; time.nanos() - end < 0; i++) {
        scheduler.pause(Duration.ofMillis(700 + random.nextInt(600)));
        disturb(i % 4, services.get(random.nextInt(SERVICES)), wire);
      }
      for (KillableService service : services) {
        assertThat(service.process().isAlive()).isTrue();
      }
      clients.forEach(ServiceClient::end);
      for (Thread thread : threads) {
        thread.join();
      }
    } finally {
      clients.forEach(ServiceClient::end);
      services.forEach(KillableService::close);
    }
    judge(histories);
  }

  private void disturb(int how, KillableService victim, StallingProxy wire) throws IOException {
    switch (how) {
      case 0 -> {
        victim.restart();
        disturbed.merge("killed", 1, Integer::sum);
      }
      case 1 -> {
        ChildJvm.signal(victim.process(), "STOP");
        scheduler.pause(LONGER_THAN_TTL);
        ChildJvm.signal(victim.process(), "CONT");
        disturbed.merge("stopped", 1, Integer::sum);
      }
      case 2 -> disturbed.merge("connections cut", new DirectTables(database).look(TERMINATE).size(), Integer::sum);
      default -> {
        wire.stall();
        scheduler.pause(LONGER_THAN_TTL);
        wire.goOn();
        disturbed.merge("stalled", 1, Integer::sum);
      }
    }
  }

  private void judge(Path histories) {
    List<HammerHistory> all = Competitor.NAMES.stream().map(name -> HammerHistory.read(histories, name)).toList();
    System.out.println("fleet hammer: " + SERVICES + " services, " + CLIENTS_EACH + " clients each, " + SECONDS + " s, "
        + disturbed + ", " + all);
    assertThat(all).allSatisfy(history -> assertThat(history.violations()).isEmpty());
    assertThat(all.stream().mapToInt(history -> history.count("enter")).sum()).isGreaterThan((int) SECONDS * 5);
    assertThat(all.stream().mapToInt(history -> history.count("stolen")).sum()).isPositive();
    assertThat(disturbed).hasSize(4);
  }
}
