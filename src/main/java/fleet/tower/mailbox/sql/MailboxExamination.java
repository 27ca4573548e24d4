package fleet.tower.mailbox.sql;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;

import fleet.tower.platform.StorageException;
import fleet.tower.platform.check.Examination;
import fleet.tower.platform.check.Finding;
import fleet.tower.platform.sql.Database;

/** Checks for dead letters, and for mailboxes without receivers. */
final class MailboxExamination implements Examination {
  private static final String CHECK = "mailboxes";
  private static final int MAX_NAMED = 5;

  private final Supplier<Database> databases;

  MailboxExamination(Supplier<Database> databases) {
    this.databases = databases;
  }

  /** A mailbox with its number of dead letters, and of messages that have waited for a day. */
  private record Trouble(String mailbox, long dead, long waiting) {}

  @Override
  public List<Finding> examine() {
    try (Database database = databases.get()) {
      List<Trouble> mailboxes = database.read(session -> session.query(Statements.TROUBLED,
          row -> new Trouble(row.getString(1), row.getLong(2), row.getLong(3)))).orElse(List.of());
      List<Trouble> dead = mailboxes.stream().filter(it -> it.dead() > 0).toList();
      List<Trouble> waiting = mailboxes.stream().filter(it -> it.waiting() > 0).toList();
      List<Finding> findings = new ArrayList<>();
      if (!dead.isEmpty()) {
        findings.add(Finding.warn(CHECK, "dead letters: " + named(dead, Trouble::dead),
            "see why: tower mailbox dead " + dead.getFirst().mailbox()
                + "; then --revive redelivers them, --purge deletes them"));
      }
      if (!waiting.isEmpty()) {
        findings.add(Finding.warn(CHECK, "messages not received for a day: " + named(waiting, Trouble::waiting),
            "start a worker that receives them, or delete them: tower mailbox purge "
                + waiting.getFirst().mailbox()));
      }
      return findings.isEmpty()
          ? List.of(Finding.ok(CHECK, mailboxes.size() + " in use, no dead letters, no long waits"))
          : findings;
    } catch (StorageException e) {
      return List.of(Finding.warn(CHECK, "cannot be checked", String.valueOf(e.getMessage())));
    }
  }

  private static String named(List<Trouble> troubles, Function<Trouble, Long> number) {
    List<String> some = troubles.stream().limit(MAX_NAMED).map(it -> it.mailbox() + " " + number.apply(it)).toList();
    return String.join(", ", some) + (troubles.size() > MAX_NAMED ? ", …" : "");
  }
}
