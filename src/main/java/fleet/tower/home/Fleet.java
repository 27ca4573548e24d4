package fleet.tower.home;

import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import fleet.tower.access.file.AccessFiles;
import fleet.tower.access.sql.SqlTokens;
import fleet.tower.audit.AuditPages;
import fleet.tower.audit.FleetAuditLog;
import fleet.tower.audit.sql.SqlAudit;
import fleet.tower.lock.HaltSource;
import fleet.tower.lock.HaltStore;
import fleet.tower.lock.LockStore;
import fleet.tower.lock.Replication;
import fleet.tower.lock.queue.WaitQueue;
import fleet.tower.lock.sql.SqlLocks;
import fleet.tower.platform.Examination;
import fleet.tower.platform.sql.Database;
import fleet.tower.platform.sql.DatabaseLocation;
import fleet.tower.platform.sql.Notifications;
import fleet.tower.platform.sql.Reachability;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.platform.time.TimeSource;
import fleet.tower.run.OutputStore;
import fleet.tower.run.sql.SqlRuns;

/** The shared database of a fleet's hosts, and what is stored in it; opened on first use, once per process. */
final class Fleet implements AutoCloseable {
  private final DatabaseLocation location;
  private final TimeSource time;
  private final Scheduler scheduler;
  private final Consumer<String> warnings;
  private @Nullable Database database;
  private @Nullable LockStore locks;
  private @Nullable FleetAuditLog log;
  private @Nullable Notifications notifications;

  Fleet(DatabaseLocation location, TimeSource time, Scheduler scheduler, Consumer<String> warnings) {
    this.location = location;
    this.time = time;
    this.scheduler = scheduler;
    this.warnings = warnings;
  }

  /** Whether the database can be shared by several hosts. */
  boolean isShared() {
    return location.isShared();
  }

  /** Where the database is. */
  DatabaseLocation location() {
    return location;
  }

  /** Opens the database, if that has not happened yet. */
  void open() {
    database().read(session -> session.first("SELECT 1", row -> true));
  }

  /** @param ofHost the halts of this host */
  synchronized LockStore locks(Duration longestInterval, HaltSource ofHost) {
    LockStore open = locks;
    if (open == null) {
      open = new SqlLocks(database(), time, scheduler, longestInterval).open(ofHost);
      locks = open;
    }
    return open;
  }

  /** The halts of the fleet. */
  HaltStore halts(Duration longestInterval) {
    return new SqlLocks(database(), time, scheduler, longestInterval).halts();
  }

  /** The health check of the fleet's locks. */
  Examination examination(Duration longestInterval) {
    return new SqlLocks(database(), time, scheduler, longestInterval).examination();
  }

  /** Whether a standby that takes over would know every lock. */
  Replication replication(Duration longestInterval) {
    return new SqlLocks(database(), time, scheduler, longestInterval).replication();
  }

  /** @param executor supplies the id of this process */
  WaitQueue waitQueue(Supplier<String> executor) {
    return SqlLocks.queue(database(), scheduler, executor, warnings);
  }

  synchronized FleetAuditLog log(AuditPages own, String hostId) {
    FleetAuditLog open = log;
    if (open == null) {
      open = new SqlAudit(database(), own, hostId, scheduler, warnings).open();
      log = open;
    }
    return open;
  }

  /** The output of steps in the database. */
  OutputStore output() {
    return SqlRuns.output(database());
  }

  /** The notifications of the database; a database of one host sends none. */
  synchronized Notifications notifications() {
    Notifications open = notifications;
    if (open == null) {
      open = new Notifications(database(), scheduler);
      notifications = open;
    }
    return open;
  }

  /** The factory of the fleet's tokens. */
  SqlTokens tokens(AccessFiles files, String hostId) {
    return new SqlTokens(database(), files.operator(), files.uses(), files.lifetime(), time, hostId);
  }

  private synchronized Database database() {
    Database open = database;
    if (open == null) {
      open = location.open();
      database = open;
    }
    return open;
  }

  /** If events cannot be copied, leaves their connection open until the process ends. */
  @Override
  public synchronized void close() {
    if (notifications != null) {
      notifications.close();
    }
    boolean isFree = log == null || log.finish();
    if (isFree && locks != null) {
      locks.close();
    }
    if (isFree && database != null) {
      database.close();
    }
    Reachability observed = location.reachability();
    if (observed != null) {
      observed.close();
    }
  }
}
