package fleet.tower.mailbox.sql;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import fleet.tower.mailbox.MailboxName;
import fleet.tower.mailbox.MailboxStore;
import fleet.tower.platform.Examination;
import fleet.tower.platform.Finding;
import fleet.tower.platform.StorageException;
import fleet.tower.platform.sql.Database;

/** Checks for dead letters, for mailboxes without receivers, and for those near their bounds. */
final class MailboxExamination implements Examination {
  private static final String CHECK = "mailboxes";
  private static final String LARGEST = "largest mailboxes";
  private static final int MAX_NAMED = 5;
  private static final int MAX_LARGEST = 3;
  private static final int NEAR_PERCENT = 80;

  private final Supplier<Database> databases;
  private final MailboxStore.Bounds bounds;
  private final Set<MailboxName> unbounded;

  /** @param unbounded the mailboxes to which the bounds do not apply */
  MailboxExamination(Supplier<Database> databases, MailboxStore.Bounds bounds, Set<MailboxName> unbounded) {
    this.databases = databases;
    this.bounds = bounds;
    this.unbounded = Set.copyOf(unbounded);
  }

  /** A mailbox with its number of dead letters, and of messages that have waited for a day. */
  private record Examined(MailboxStore.Size size, long dead, long waiting) {
    MailboxName mailbox() {
      return size.mailbox();
    }
  }

  @Override
  public List<Finding> examine() {
    try (Database database = databases.get()) {
      List<Examined> mailboxes = database.read(session -> session.query(MessageStatements.EXAMINED, row -> {
        long dead = row.getLong(4);
        long waiting = row.getLong(5);
        return SizeRow.read(row).map(size -> new Examined(size, dead, waiting));
      })).orElse(List.of()).stream().flatMap(Optional::stream).toList();
      List<Finding> findings = new ArrayList<>(troubles(mailboxes));
      findings.addAll(largest(mailboxes.stream().map(Examined::size).filter(it -> !unbounded.contains(it.mailbox()))
          .sorted(Comparator.comparingLong(bounds::percent).thenComparingLong(MailboxStore.Size::bytes).reversed())
          .toList()));
      return findings;
    } catch (StorageException e) {
      return List.of(Finding.warn(CHECK, "cannot be checked", String.valueOf(e.getMessage())));
    }
  }

  private static List<Finding> troubles(List<Examined> mailboxes) {
    List<Examined> dead = mailboxes.stream().filter(it -> it.dead() > 0).toList();
    List<Examined> waiting = mailboxes.stream().filter(it -> it.waiting() > 0).toList();
    List<Finding> findings = new ArrayList<>();
    if (!dead.isEmpty()) {
      findings.add(Finding.warn(CHECK, "dead letters: " + named(dead, Examined::dead),
          "see why: tower mailbox dead " + dead.getFirst().mailbox()
              + "; then --revive redelivers them, --purge deletes them"));
    }
    if (!waiting.isEmpty()) {
      findings.add(Finding.warn(CHECK, "messages not received for a day: " + named(waiting, Examined::waiting),
          "start a worker that receives them, or delete them: tower mailbox purge "
              + waiting.getFirst().mailbox()));
    }
    return findings.isEmpty()
        ? List.of(Finding.ok(CHECK, mailboxes.size() + " in use, no dead letters, no long waits"))
        : findings;
  }

  private static String named(List<Examined> mailboxes, Function<Examined, Long> number) {
    List<String> some = mailboxes.stream().limit(MAX_NAMED).map(it -> it.mailbox() + " " + number.apply(it)).toList();
    return String.join(", ", some) + (mailboxes.size() > MAX_NAMED ? ", …" : "");
  }

  /** @param mailboxes the largest first */
  private List<Finding> largest(List<MailboxStore.Size> mailboxes) {
    if (mailboxes.isEmpty()) {
      return List.of();
    }
    String named = mailboxes.stream().limit(MAX_LARGEST).map(this::withShares).collect(Collectors.joining("; "));
    MailboxStore.Size first = mailboxes.getFirst();
    return List.of(bounds.percent(first) < NEAR_PERCENT
        ? Finding.ok(LARGEST, named)
        : Finding.warn(LARGEST, named + "; a full one refuses messages",
            "start workers that receive them, or delete them: tower mailbox purge " + first.mailbox()
                + " (dead letters: tower mailbox dead " + first.mailbox()
                + " --purge); or raise tower.mailboxes.max-messages or tower.mailboxes.max-bytes"));
  }

  private String withShares(MailboxStore.Size size) {
    return size.mailbox() + " " + size.messages() + " messages (" + bounds.percentOfMessages(size) + " %), "
        + size.bytes() + " bytes (" + bounds.percentOfBytes(size) + " %)";
  }
}
