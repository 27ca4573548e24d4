package fleet.tower.mailbox.sql;

import java.nio.file.Path;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.mailbox.MailboxStoreContract;
import fleet.tower.platform.time.SystemTime;

@DisplayName("Mailboxes in SQLite fulfil the contract of every mailbox store")
class SqliteMailboxStoreTest extends MailboxStoreContract {
  SqliteMailboxStoreTest(@TempDir Path home) {
    super(new SqlTestMailboxes("jdbc:sqlite:" + home.resolve("tower.db"), SystemTime.source()));
  }
}
