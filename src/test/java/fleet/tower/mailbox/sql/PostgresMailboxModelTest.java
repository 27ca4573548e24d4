package fleet.tower.mailbox.sql;

import org.junit.jupiter.api.DisplayName;

import fleet.tower.mailbox.MailboxModelContract;
import fleet.tower.mailbox.TestMailboxes;
import fleet.tower.platform.sql.PostgresServer;
import fleet.tower.platform.time.SystemTime;

@DisplayName("Mailboxes in PostgreSQL behave like the model")
class PostgresMailboxModelTest extends MailboxModelContract {
  @Override
  protected TestMailboxes place() {
    return new SqlTestMailboxes(PostgresServer.newDatabase(), SystemTime.source());
  }
}
