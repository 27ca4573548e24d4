package fleet.tower.service.web;

import java.nio.file.Path;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.platform.sql.PostgresServer;

@DisplayName("With locks in PostgreSQL, a visible request id gives no access to a lock")
class FleetOwnershipTest extends OwnershipContract {
  FleetOwnershipTest(@TempDir Path home) {
    super(home, "--tower.queue.workers=1", "--tower.database.url=" + PostgresServer.newDatabase());
  }
}
