package fleet.tower.mailbox.sql;

import org.junit.jupiter.api.DisplayName;

import fleet.tower.mailbox.MailboxStoreContract;
import fleet.tower.platform.sql.PostgresServer;
import fleet.tower.platform.time.SystemTime;

@DisplayName("Mailboxes in PostgreSQL fulfil the contract of every mailbox store")
class PostgresMailboxStoreTest extends MailboxStoreContract {
  PostgresMailboxStoreTest() {
    super(new SqlTestMailboxes(PostgresServer.newMigratedDatabase(), SystemTime.source()));
  }
}
