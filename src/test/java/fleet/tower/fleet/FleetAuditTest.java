package fleet.tower.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.harness.TestHome;
import fleet.tower.platform.sql.PostgresServer;
import fleet.tower.service.config.TestService;

@DisplayName("The audit log of a fleet, on the command line and over HTTP")
class FleetAuditTest {
  private final String url = PostgresServer.newDatabase();
  private final TestHome here;
  private final TestHome there;
  private final Path serviceHome;

  FleetAuditTest(@TempDir Path directory) {
    here = new TestHome(directory.resolve("here")).with("TOWER_DATABASE_URL", url).with("TOWER_HOST_ID", "here");
    there = new TestHome(directory.resolve("there")).with("TOWER_DATABASE_URL", url).with("TOWER_HOST_ID", "there");
    serviceHome = directory.resolve("service");
  }

  @Test
  @DisplayName("LK-32 each host shows the events of every host, with the host's name, and only its own with --local")
  void everyHost() {
    here.tower("lock prod --request-id r1");
    there.tower("lock prod --request-id r2");

    assertThat(there.tower("audit --name prod").out().lines().toList()).satisfiesExactly(
        line -> assertThat(line).startsWith("{\"event\":\"lock_acquired\",\"request_id\":\"r1\"")
            .endsWith(",\"ttl_seconds\":900,\"host_id\":\"here\"}"),
        line -> assertThat(line).startsWith("{\"event\":\"lock_actor\",\"request_id\":\"r1\"")
            .contains(",\"host_id\":\"here\",\"pid\":").containsOnlyOnce("host_id"),
        line -> assertThat(line).startsWith("{\"event\":\"lock_blocked\",\"request_id\":\"r2\"")
            .contains("\"door\":\"cli\",\"intent\":\"manual\",\"host_id\":\"there\",\"pid\":"));
    assertThat(here.tower("audit").out()).isEqualTo(there.tower("audit").out());
    assertThat(here.tower("audit --local").out().lines()).hasSize(2).first().asString()
        .startsWith("{\"event\":\"lock_acquired\"").endsWith(",\"ttl_seconds\":900}");
    assertThat(here.events()).containsExactly("lock_acquired", "lock_actor");
  }

  @Test
  @DisplayName("GET /audit returns the events of all hosts, with local=true its own, and a limit returns the newest")
  void overHttp() {
    here.tower("lock prod --request-id r1");
    try (TestService service = new TestService(serviceHome, "--tower.database.url=" + url)) {
      service.post("/locks/other", "{\"request_id\":\"r2\",\"ttl_seconds\":60}");

      assertThat(service.get("/audit").body()).contains("\"request_id\":\"r1\"", "\"host_id\":\"here\"",
          "\"request_id\":\"r2\"", "\"host_id\":\"tower-01\"");
      assertThat(service.get("/audit?limit=1").body()).contains("\"r2\"").doesNotContain("\"r1\"");
      assertThat(service.get("/audit?local=true").body()).contains("\"r2\"").doesNotContain("\"r1\"",
          "host_id\":\"tower-01\"}");
      assertThat(service.get("/audit?local=perhaps").body()).contains("'local' must be true or false");
    }
  }
}
