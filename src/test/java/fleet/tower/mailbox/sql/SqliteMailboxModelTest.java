package fleet.tower.mailbox.sql;

import java.nio.file.Path;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.mailbox.MailboxModelContract;
import fleet.tower.mailbox.TestMailboxes;
import fleet.tower.platform.time.SystemTime;

@DisplayName("Mailboxes in SQLite behave like the model")
class SqliteMailboxModelTest extends MailboxModelContract {
  private final Path home;

  SqliteMailboxModelTest(@TempDir Path home) {
    this.home = home;
  }

  @Override
  protected TestMailboxes place() {
    return new SqlTestMailboxes("jdbc:sqlite:" + home.resolve("tower.db"), SystemTime.source());
  }
}
