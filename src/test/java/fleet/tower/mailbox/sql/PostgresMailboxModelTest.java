package fleet.tower.mailbox.sql;

import org.junit.jupiter.api.DisplayName;

import fleet.tower.mailbox.MailboxModelContract;
import fleet.tower.mailbox.MailboxPlace;
import fleet.tower.platform.sql.PostgresServer;
import fleet.tower.platform.time.system.SystemTime;

@DisplayName("Mailboxes in PostgreSQL are like the model")
class PostgresMailboxModelTest extends MailboxModelContract {
  @Override
  protected MailboxPlace place() {
    return new SqlPlace(PostgresServer.newDatabase(), SystemTime.source());
  }
}
