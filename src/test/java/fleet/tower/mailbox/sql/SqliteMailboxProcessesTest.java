package fleet.tower.mailbox.sql;

import java.nio.file.Path;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("Mailboxes in SQLite, with real processes on one file")
class SqliteMailboxProcessesTest extends MailboxProcessesContract {
  private final Path home;

  SqliteMailboxProcessesTest(@TempDir Path home) {
    this.home = home;
  }

  @Override
  protected String url() {
    return "jdbc:sqlite:" + home.resolve("tower.db");
  }

  /** Another one writes for a moment. */
  @Override
  protected void disturb(SqlTestMailboxes place) {
    place.change("REINDEX");
  }
}
