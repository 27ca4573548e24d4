package fleet.tower.service.web;

import org.junit.jupiter.api.DisplayName;

import fleet.tower.harness.ProofsProfile;
import fleet.tower.platform.sql.PostgresServer;

@DisplayName("With locks in PostgreSQL, a visible request id gives no access to a lock")
@ProofsProfile
class FleetOwnershipTest extends OwnershipContract {
  FleetOwnershipTest() {
    super("--tower.queue.workers=1", "--tower.database.url=" + PostgresServer.newDatabase());
  }
}
