package fleet.tower.mailbox.sql;

import org.junit.jupiter.api.DisplayName;

import fleet.tower.mailbox.MailboxEndContract;
import fleet.tower.platform.sql.PostgresServer;
import fleet.tower.platform.time.SystemTime;

@DisplayName("Mailboxes in PostgreSQL end messages as every mailbox store does")
class PostgresMailboxEndTest extends MailboxEndContract {
  PostgresMailboxEndTest() {
    super(new SqlTestMailboxes(PostgresServer.newMigratedDatabase(), SystemTime.source()));
  }
}
