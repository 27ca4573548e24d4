package fleet.tower.mailbox.sql;

import java.nio.file.Path;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.mailbox.MailboxEndContract;
import fleet.tower.platform.time.SystemTime;

@DisplayName("Mailboxes in SQLite end messages as every mailbox store does")
class SqliteMailboxEndTest extends MailboxEndContract {
  SqliteMailboxEndTest(@TempDir Path home) {
    super(new SqlTestMailboxes("jdbc:sqlite:" + home.resolve("tower.db"), SystemTime.source()));
  }
}
