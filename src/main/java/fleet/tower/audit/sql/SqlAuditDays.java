package fleet.tower.audit.sql;

import java.time.Duration;
import java.time.LocalDate;
import java.util.List;
import java.util.NavigableSet;
import java.util.TreeSet;

import fleet.tower.audit.AuditDays;
import fleet.tower.audit.AuditPages;
import fleet.tower.platform.sql.Database;
import fleet.tower.platform.sql.NamedValues;

/**
 * The days with events in this host's files and in the table. The copy positions of a page are kept while the page
 * may exist: otherwise a host that keeps its files longer would copy them again.
 */
final class SqlAuditDays implements AuditDays {
  private static final long DAY_MILLIS = Duration.ofDays(1).toMillis();
  private static final int BATCH = 5000;
  private static final String EVERY_LOG = "";
  private static final String NO_LOG = "none";

  private final Database database;
  private final AuditCopier copier;
  private final AuditPages pages;
  private final AuditDays own;
  private final boolean isForAll;

  /** @param isForAll whether to include the events of other hosts */
  SqlAuditDays(Database database, AuditCopier copier, AuditPages pages, AuditDays own, boolean isForAll) {
    this.database = database;
    this.copier = copier;
    this.pages = pages;
    this.own = own;
    this.isForAll = isForAll;
  }

  @Override
  public List<LocalDate> all() {
    NavigableSet<LocalDate> all = new TreeSet<>(own.all());
    NamedValues log = new NamedValues().put("log", log());
    database.read(session -> session.query(AuditStatements.DAYS, row -> LocalDate.ofEpochDay(row.getLong(1)), log))
        .ifPresent(all::addAll);
    return List.copyOf(all);
  }

  /** Copies the files before deleting from the table, so that no event of the day is copied afterwards. */
  @Override
  public void remove(LocalDate day) {
    boolean hasLog = hasLog();
    NamedValues values = new NamedValues().put("log", log());
    copier.copy();
    own.remove(day);
    long first = day.toEpochDay() * DAY_MILLIS;
    values.put("start", first).put("end", first + DAY_MILLIS).put("rows", BATCH);
    int removed = BATCH;
    while (removed == BATCH) {
      removed = database.change(session -> session.update(AuditStatements.PRUNE, values), _ -> true);
    }
    if (hasLog) {
      String[] left = pages.sizes().keySet().toArray(String[]::new);
      database.change(session -> session.update(AuditStatements.FORGET_PAGES, pages.id(), left), _ -> true);
    }
  }

  private String log() {
    if (isForAll) {
      return EVERY_LOG;
    }
    return hasLog() ? pages.id() : NO_LOG;
  }

  /** Whether this host has a log; a read must not create its id. */
  private boolean hasLog() {
    return !pages.sizes().isEmpty();
  }
}
