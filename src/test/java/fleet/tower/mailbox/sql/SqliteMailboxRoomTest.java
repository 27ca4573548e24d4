package fleet.tower.mailbox.sql;

import java.nio.file.Path;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.mailbox.MailboxRoomContract;
import fleet.tower.platform.time.SystemTime;

@DisplayName("The bounds of mailboxes in SQLite")
class SqliteMailboxRoomTest extends MailboxRoomContract {
  SqliteMailboxRoomTest(@TempDir Path home) {
    super(new SqlTestMailboxes("jdbc:sqlite:" + home.resolve("tower.db"), SystemTime.source()));
  }
}
