package fleet.tower.mailbox.sql;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Set;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.mailbox.MailboxCommand.Send;
import fleet.tower.mailbox.MailboxName;
import fleet.tower.mailbox.MailboxStore;
import fleet.tower.mailbox.MessageBody;
import fleet.tower.mailbox.MessageId;
import fleet.tower.platform.Finding;
import fleet.tower.platform.disk.DiskReserve;
import fleet.tower.platform.sql.DatabaseLocation;
import fleet.tower.platform.sql.PostgresServer;
import fleet.tower.platform.time.SystemTime;

@DisplayName("The largest mailboxes are reported with their shares of the bounds, and as a warning from 80 % on")
class MailboxExaminationTest {
  private static final Finding USE = Finding.ok("mailboxes", "5 in use, no dead letters, no long waits");

  @Test
  @DisplayName("in SQLite")
  void sqlite(@TempDir Path home) {
    largest("jdbc:sqlite:" + home.resolve("tower.db"));
  }

  @Test
  @DisplayName("in PostgreSQL")
  void postgres() {
    largest(PostgresServer.newMigratedDatabase());
  }

  private static void largest(String url) {
    SqlMailboxes mailboxes = new SqlMailboxes(DatabaseLocation.of(url), SystemTime.source(),
        new MailboxStore.Bounds(10, 1000), DiskReserve.NONE);
    Set<MailboxName> unbounded = Set.of(new MailboxName("own"));
    try (MailboxStore store = mailboxes.open();
        MailboxStore own = new SqlMailboxes(url, SystemTime.source()).open()) {
      send(store, "many", 7, "");
      send(store, "long", 1, "ü".repeat(374));
      send(store, "few", 2, "");
      send(store, "one", 1, "");
      send(own, "own", 20, "");
      assertThat(mailboxes.examination(unbounded).examine()).containsExactly(USE, Finding.ok("largest mailboxes",
          "long 1 messages (10 %), 750 bytes (75 %); many 7 messages (70 %), 14 bytes (1 %);"
              + " few 2 messages (20 %), 4 bytes (0 %)"));

      send(store, "many", 1, "");
      assertThat(mailboxes.examination(unbounded).examine()).containsExactly(USE, Finding.warn("largest mailboxes",
          "many 8 messages (80 %), 16 bytes (1 %); long 1 messages (10 %), 750 bytes (75 %);"
              + " few 2 messages (20 %), 4 bytes (0 %); a full one refuses messages",
          "start workers that receive them, or delete them: tower mailbox purge many"
              + " (dead letters: tower mailbox dead many --purge);"
              + " or raise tower.mailboxes.max-messages or tower.mailboxes.max-bytes"));
      assertThat(store.sizes()).containsExactlyInAnyOrderElementsOf(List.of(size("many", 8, 16), size("long", 1, 750),
          size("few", 2, 4), size("one", 1, 2), size("own", 20, 40)));
    }
  }

  private static MailboxStore.Size size(String mailbox, long messages, long bytes) {
    return new MailboxStore.Size(new MailboxName(mailbox), messages, bytes);
  }

  private static void send(MailboxStore store, String mailbox, int messages, String text) {
    for (int i = 0; i < messages; i++) {
      store.send(Send.of(new MailboxName(mailbox), MessageBody.text(text)),
          new MessageId(mailbox + "-" + text.length() + "-"
              + store.count(new MailboxName(mailbox)).messages()));
    }
  }
}
