package fleet.tower.service.web;

import org.junit.jupiter.api.DisplayName;

import fleet.tower.harness.ProofsProfile;
import fleet.tower.platform.sql.PostgresServer;

@DisplayName("With a PostgreSQL database, lists have pages that hide no row")
@ProofsProfile
class FleetPagedListsTest extends PagedListsContract {
  FleetPagedListsTest() {
    super("--tower.database.url=" + PostgresServer.newDatabase());
  }
}
