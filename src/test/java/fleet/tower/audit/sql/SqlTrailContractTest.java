package fleet.tower.audit.sql;

import java.nio.file.Path;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;

import fleet.tower.audit.AuditLog;
import fleet.tower.audit.AuditTrail;
import fleet.tower.audit.AuditTrailContract;
import fleet.tower.platform.sql.PostgresServer;

@DisplayName("The trail of all hosts in PostgreSQL")
class SqlTrailContractTest extends AuditTrailContract {
  private final AuditHost host = new AuditHost("tower-01", PostgresServer.newMigratedDatabase());

  @AfterEach
  void close() {
    host.close();
  }

  @Override
  protected AuditTrail trail(Path files) {
    return host.in(files).trail();
  }

  @Override
  protected AuditLog log(Path files) {
    return host.in(files).log();
  }
}
