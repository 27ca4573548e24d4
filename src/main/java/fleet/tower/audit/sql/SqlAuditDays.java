package fleet.tower.audit.sql;

import java.time.Duration;
import java.time.LocalDate;
import java.util.List;
import java.util.NavigableSet;
import java.util.TreeSet;

import fleet.tower.audit.AuditDays;
import fleet.tower.audit.AuditPages;
import fleet.tower.platform.sql.Database;

/**
 * The days that this host's files and the table have something of. How far a page has been copied stays known for as long as
 * somebody may have that page: a host that keeps its files for longer would bring them again otherwise.
 */
final class SqlAuditDays implements AuditDays {
  private static final long DAY_MILLIS = Duration.ofDays(1).toMillis();
  private static final int BATCH = 5000;
  private static final String EVERY_LOG = "";
  private static final String NO_LOG = "none";

  private final Database database;
  private final AuditBatch shipment;
  private final AuditPages pages;
  private final AuditDays own;
  private final boolean isForAll;

  /** @param isForAll whether also what other hosts have brought is kept and thrown away here */
  SqlAuditDays(Database database, AuditBatch shipment, AuditPages pages, AuditDays own, boolean isForAll) {
    this.database = database;
    this.shipment = shipment;
    this.pages = pages;
    this.own = own;
    this.isForAll = isForAll;
  }

  @Override
  public List<LocalDate> all() {
    NavigableSet<LocalDate> all = new TreeSet<>(own.all());
    String log = log();
    database.read(session -> session.query(Statements.DAYS, row -> LocalDate.ofEpochDay(row.getLong(1)), log, log, log,
        log)).ifPresent(all::addAll);
    return List.copyOf(all);
  }

  /** What the files have is in the table before it goes there, so that nothing is brought behind its removal. */
  @Override
  public void remove(LocalDate day) {
    boolean hasLog = hasLog();
    String log = log();
    shipment.ship();
    own.remove(day);
    long first = day.toEpochDay() * DAY_MILLIS;
    int removed = BATCH;
    while (removed == BATCH) {
      removed = database.change(
          session -> session.update(Statements.PRUNE, first, first + DAY_MILLIS, log, log, BATCH), _ -> true);
    }
    if (hasLog) {
      String[] left = pages.sizes().keySet().toArray(String[]::new);
      database.change(session -> session.update(Statements.FORGET_PAGES, pages.id(), left), _ -> true);
    }
  }

  private String log() {
    if (isForAll) {
      return EVERY_LOG;
    }
    return hasLog() ? pages.id() : NO_LOG;
  }

  /** Where nobody has told anything yet the log has no name, and gets none for being looked at. */
  private boolean hasLog() {
    return !pages.sizes().isEmpty();
  }
}
