package fleet.tower.mailbox.sql;

import org.junit.jupiter.api.DisplayName;

import fleet.tower.harness.ProofsProfile;
import fleet.tower.platform.sql.PostgresServer;

@DisplayName("Mailboxes in PostgreSQL, with real processes on one server")
@ProofsProfile
class PostgresMailboxProcessesTest extends MailboxProcessesContract {
  private final String url = PostgresServer.newDatabase();

  @Override
  protected String url() {
    return url;
  }

  /** The server cuts every connection, in the middle of whatever is done there. */
  @Override
  protected void disturb(SqlTestMailboxes place) {
    place.look("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database()"
        + " AND pid <> pg_backend_pid()");
  }

  /** The server executes what it received of a killed process, for as long as that takes. */
  @Override
  protected void settle(SqlTestMailboxes place) {
    place.look("SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity WHERE datname = current_database()"
        + " AND pid <> pg_backend_pid()");
  }
}
