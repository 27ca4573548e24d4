package fleet.tower.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.harness.Await;
import fleet.tower.harness.TestHome;
import fleet.tower.platform.sql.DirectTables;
import fleet.tower.platform.sql.PostgresServer;
import fleet.tower.service.config.TestService;

@DisplayName("A host that is gone is gone in every view of the other hosts")
class GoneHostTest {
  private static final String NOW = "CAST(EXTRACT(EPOCH FROM clock_timestamp()) AS BIGINT)";
  private final String url = PostgresServer.newDatabase();
  private final DirectTables tables = new DirectTables(url);
  private final TestHome here;
  private final Path serviceHome;

  GoneHostTest(@TempDir Path directory) {
    here = new TestHome(directory.resolve("here")).with("TOWER_DATABASE_URL", url).with("TOWER_HOST_ID", "here");
    serviceHome = directory.resolve("service");
  }

  /** A lock of a process of another host, which last renewed it a while ago. */
  private void holdElsewhere() {
    assertThat(here.tower("lock deep --request-id req_deep --ttl 1h").exit()).isZero();
    tables.change("UPDATE locks SET host_id = 'tower-09', pid = 7, intent = 'guard',"
        + " metadata = '{\"holder_process\":\"boot-9/ns-9/7/1\"}', last_heartbeat_at = " + NOW + " - 75");
  }

  /** Sets how long ago the only process of the other host was seen. */
  private void seen(int secondsAgo) {
    String at = "(" + NOW + " - " + secondsAgo + ") * 1000";
    tables.change("INSERT INTO executors (id, host_id, machine, home, pid, kind, version, entered_at, seen_at,"
        + " alive_until) VALUES ('executor-9', 'tower-09', 'm9', '/h', 1, 'service', '1', 0, " + at + ", " + at
        + " + 60000) ON CONFLICT (id) DO UPDATE SET seen_at = EXCLUDED.seen_at, alive_until = EXCLUDED.alive_until");
  }

  @Test
  @DisplayName("The list of hosts, why, check, locks, a refused lock and HTTP, at the same moment")
  void everywhere() {
    holdElsewhere();
    try (TestService service = new TestService(serviceHome, "--tower.database.url=" + url)) {
      seen(20);
      assertThat(here.tower("hosts").out()).containsPattern("tower-09 +yes ");
      assertThat(here.tower("why deep").out()).contains("on tower-09").doesNotContain("gone");
      assertThat(service.get("/locks/deep").body()).doesNotContain("\"holder\"");

      seen(61);
      assertThat(here.tower("hosts").out()).containsPattern("tower-09 +no ");
      assertThat(here.tower("why deep").out()).contains("its process is gone, so the lock becomes stale after 20",
          "tower force-release deep --reason 'its holder is gone'");
      assertThat(here.tower("check deep --json").out()).contains("\"holder\":\"gone\"");
      assertThat(here.tower("locks").out()).contains(" active,gone ");
      assertThat(here.tower("lock deep").err()).contains("its process is gone");
      Await.until("the service looks again",
          () -> service.get("/locks/deep").body().contains("\"holder\":\"gone\""));
      assertThat(service.post("/locks/deep", "{}").body()).contains("\"error\":\"lock_blocked\"",
          "\"holder\":\"gone\"", "/locks/deep/force-release");
      assertThat(service.get("/hosts").body()).contains("{\"host_id\":\"tower-09\",\"alive\":false,",
          "\"lock_name\":\"deep\"");
    }
  }

  @Test
  @DisplayName("An entry that is older than an hour stays while its host holds a lock, so the lock stays gone")
  void afterAnHour() {
    holdElsewhere();
    seen(4_000);
    tables.change("UPDATE locks SET last_heartbeat_at = last_heartbeat_at - 4000, ttl_seconds = 9000");
    try (TestService service = new TestService(serviceHome, "--tower.database.url=" + url)) {
      assertThat(service.get("/locks/deep").body()).contains("\"holder\":\"gone\"");
      tables.change("UPDATE locks SET request_id = NULL");
    }
    new TestService(serviceHome, "--tower.database.url=" + url).close();
    assertThat(tables.look("SELECT id FROM executors WHERE host_id = 'tower-09'")).isEmpty();
  }
}
