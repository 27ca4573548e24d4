package fleet.tower.mailbox.sql;

import org.junit.jupiter.api.DisplayName;

import fleet.tower.mailbox.MailboxRoomContract;
import fleet.tower.platform.sql.PostgresServer;
import fleet.tower.platform.time.SystemTime;

@DisplayName("The bounds of mailboxes in PostgreSQL")
class PostgresMailboxRoomTest extends MailboxRoomContract {
  PostgresMailboxRoomTest() {
    super(new SqlTestMailboxes(PostgresServer.newMigratedDatabase(), SystemTime.source()));
  }
}
