package fleet.tower.home;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

import org.jspecify.annotations.Nullable;

import fleet.tower.access.TokenLifetime;
import fleet.tower.access.file.AccessFiles;
import fleet.tower.audit.AuditListener;
import fleet.tower.audit.AuditLog;
import fleet.tower.audit.FleetAuditLog;
import fleet.tower.audit.ObservedAuditLog;
import fleet.tower.audit.jsonl.AuditFiles;
import fleet.tower.foreign.file.ForeignFiles;
import fleet.tower.home.move.StoreMark;
import fleet.tower.lock.HaltStore;
import fleet.tower.lock.LockStore;
import fleet.tower.lock.file.FileLocks;
import fleet.tower.lock.queue.WaitQueue;
import fleet.tower.lock.queue.file.WaitQueueFiles;
import fleet.tower.mailbox.MailboxStore;
import fleet.tower.mailbox.sql.SqlMailboxes;
import fleet.tower.platform.Presence;
import fleet.tower.platform.disk.DiskReserve;
import fleet.tower.platform.disk.KernelRandom;
import fleet.tower.platform.disk.ProcessFiles;
import fleet.tower.platform.disk.RecordedFiles;
import fleet.tower.platform.disk.RecordedFiles.Recorder;
import fleet.tower.platform.secret.HomeKey;
import fleet.tower.platform.sql.DatabaseLocation;
import fleet.tower.platform.sql.Reachability;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.platform.time.TimeSource;
import fleet.tower.run.RunStore;
import fleet.tower.run.sql.SqlRuns;
import fleet.tower.task.sql.SqlTasks;

/**
 * The stores of a home: files of this host, or the database of its fleet. Each is opened on first use. Of those that
 * are shared, a process has one.
 */
final class HomeStorage implements AutoCloseable {
  private final Supplier<Path> root;
  private final HomeSettings settings;
  private final Consumer<String> warnings;
  private final AuditListener events;
  private final TimeSource time;
  private final Scheduler scheduler;
  private @Nullable Presence presence;
  private @Nullable ObservedAuditLog auditLog;
  private @Nullable RunStore recordedRuns;
  private @Nullable HomeStore store;
  private @Nullable HomeKey key;
  private FileLocks.@Nullable Opened lockFiles;
  private @Nullable Fleet fleet;
  private Reachability.@Nullable Listener outages;

  HomeStorage(Supplier<Path> root, HomeSettings settings, Consumer<String> warnings, AuditListener events,
      TimeSource time, Scheduler scheduler) {
    this.root = root;
    this.settings = settings;
    this.warnings = warnings;
    this.events = events;
    this.time = time;
    this.scheduler = scheduler;
  }

  /** Releases everything, including the mark that this process is alive. */
  @Override
  public synchronized void close() {
    if (presence != null) {
      presence.close();
    }
    if (recordedRuns != null) {
      recordedRuns.close();
    }
    if (lockFiles != null) {
      lockFiles.store().close();
    }
    if (fleet != null) {
      fleet.close();
    }
  }

  /**
   * The directory of the home.
   *
   * @throws NoHomeException if there is none
   * @throws fleet.tower.platform.InvalidConfiguration if its file of settings is invalid
   */
  Path root() {
    Path home = root.get();
    settings.requireValidFile();
    return home;
  }

  HomeSettings settings() {
    return settings;
  }

  String hostId() {
    return new ThisHost(settings).id();
  }

  Duration longestInterval() {
    return Settings.HEARTBEAT_MAX_INTERVAL.of(settings);
  }

  synchronized Presence presence() {
    Presence open = presence;
    if (open == null) {
      open = new ProcessFiles(root().resolve("state/processes")).open();
      presence = open;
    }
    return open;
  }

  synchronized Fleet fleet() {
    Fleet open = fleet;
    if (open == null) {
      Reachability.Listener observer = outages;
      DatabaseLocation location = DatabaseLocation.of(databaseUrl()).admitting(store());
      open = new Fleet(observer == null ? location : location.observed(scheduler, time, observer), time, scheduler,
          warnings);
      fleet = open;
    }
    return open;
  }

  /** @throws IllegalStateException if the database is already in use */
  synchronized void observeOutages(Reachability.Listener listener) {
    if (fleet != null) {
      throw new IllegalStateException("the database is already in use");
    }
    outages = listener;
  }

  DatabaseLocation location() {
    return fleet().location();
  }

  /** @throws fleet.tower.platform.StorageException if the home is known to have another store */
  String databaseUrl() {
    store().require();
    return namedDatabaseUrl();
  }

  private String namedDatabaseUrl() {
    return Settings.DATABASE_URL.given(settings).orElseGet(this::ownDatabaseUrl);
  }

  /** The store that the settings lead to, and the mark of the home. */
  synchronized HomeStore store() {
    HomeStore known = store;
    if (known == null) {
      DatabaseLocation named = DatabaseLocation.of(namedDatabaseUrl());
      String database = named.isShared() ? named.toString() : "";
      boolean areLocksKept = Settings.LOCK_STORE.given(settings).equals(Optional.of("file"));
      known = new HomeStore(root(), new StoreMark.Store(!database.isEmpty() && !areLocksKept, "", database),
          this::ownDatabaseUrl);
      store = known;
    }
    return known;
  }

  String ownDatabaseUrl() {
    return "jdbc:sqlite:" + root().resolve("state/tower.db");
  }

  /** One log per process, so that events of several threads share a sync. */
  synchronized ObservedAuditLog auditLog() {
    ObservedAuditLog log = auditLog;
    if (log == null) {
      log = observed(auditFiles().log(recorder()));
      auditLog = log;
    }
    return log;
  }

  private ObservedAuditLog observed(AuditLog own) {
    return new ObservedAuditLog(fleet().isShared() ? fleetLog().replicating(own) : own, events, time);
  }

  FleetAuditLog fleetLog() {
    return fleet().log(auditFiles().pages(), hostId());
  }

  AuditFiles auditFiles() {
    return new AuditFiles(root().resolve("logs/audit"), scheduler, warnings);
  }

  synchronized RunStore recordedRuns() {
    RunStore open = recordedRuns;
    if (open == null) {
      open = openRunsToRead();
      recordedRuns = open;
    }
    return open;
  }

  /** Opens the runs of this home, after a restore; the caller closes them. */
  RunStore openRuns() {
    return openRuns(FileLocks.Opened::restore);
  }

  /** The same for a process that begins and removes none: it leaves the restore of the locks to those that do. */
  RunStore openRunsToRead() {
    return openRuns(FileLocks.Opened::restoreOthers);
  }

  private RunStore openRuns(Function<FileLocks.Opened, Runnable> restore) {
    if (isRecorded()) {
      restore.apply(lockFiles()).run();
    }
    return sqlRuns().open(recorder());
  }

  /** Whether locks, runs and audit log are files of this home, so that they share a journal. */
  private boolean isRecorded() {
    return !fleet().isShared();
  }

  private Recorder recorder() {
    return isRecorded() ? record -> lockFiles().recorder().append(record) : Recorder.NONE;
  }

  /** The other files that the journal of the locks has records of. */
  RecordedFiles recorded() {
    return new HomeRecords(root(), new SqlRuns(ownDatabaseUrl()), auditFiles());
  }

  private synchronized FileLocks.Opened lockFiles() {
    FileLocks.Opened open = lockFiles;
    if (open == null) {
      open = fileLocks().open(recorded());
      lockFiles = open;
    }
    return open;
  }

  Path outputs() {
    return root().resolve("logs/runs");
  }

  /** Whether locks are in the fleet's shared database. */
  boolean hasSharedLocks() {
    return fleet().isShared() && !Settings.LOCK_STORE.given(settings).equals(Optional.of("file"));
  }

  LockStore lockStore() {
    return hasSharedLocks() ? fleet().locks(longestInterval(), haltPlace().fileSource()) : lockFiles().store();
  }

  /** The halts, where the locks are. */
  HaltStore haltStore() {
    return hasSharedLocks() ? fleet().halts(longestInterval()) : lockFiles().halts();
  }

  /** Where the halts of this host are; those of a fleet are in its database, apart from the one by the file. */
  FileLocks.HaltPlace haltPlace() {
    return FileLocks.HaltPlace.of(root());
  }

  WaitQueue waitQueue() {
    return hasSharedLocks() ? fleet().waitQueue(() -> presence().id()) : waitQueueFiles().open();
  }

  /** Their own events are not recorded in the journal, because they occur while it is locked. */
  FileLocks fileLocks() {
    return new FileLocks(locksDirectory(), haltPlace(), Settings.LOCK_INSECURE_DIRECTORY.of(settings), time, scheduler,
        observed(auditFiles().log()), warnings, () -> store().use(() -> fleet().open()));
  }

  WaitQueueFiles waitQueueFiles() {
    return new WaitQueueFiles(locksDirectory(), presence(), warnings);
  }

  Path locksDirectory() {
    return root().resolve("logs/locks");
  }

  ForeignFiles foreignFiles() {
    return new ForeignFiles(root(), time, scheduler);
  }

  SqlRuns sqlRuns() {
    return new SqlRuns(location());
  }

  /** The free space of the home's disk that is kept for its locks. */
  DiskReserve reserve() {
    return new DiskReserve(root(), Settings.DISK_RESERVE.of(settings()));
  }

  /** The database of a fleet is on another disk. */
  private DiskReserve databaseReserve() {
    return fleet().isShared() ? DiskReserve.NONE : reserve();
  }

  SqlTasks sqlTasks() {
    return new SqlTasks(location(), time, databaseReserve());
  }

  /** The mailboxes for senders who name them. */
  SqlMailboxes sqlMailboxes() {
    return sqlMailboxes(new MailboxStore.Bounds(Settings.MAILBOXES_MAX_MESSAGES.of(settings),
        Settings.MAILBOXES_MAX_BYTES.of(settings)));
  }

  /** The mailboxes of the product itself, which have no bounds. */
  SqlMailboxes ownMailboxes() {
    return sqlMailboxes(MailboxStore.Bounds.NONE);
  }

  private SqlMailboxes sqlMailboxes(MailboxStore.Bounds bounds) {
    return new SqlMailboxes(location(), time, bounds, databaseReserve());
  }

  /** The key of the home, or of its fleet; opened on first use. */
  synchronized HomeKey key() {
    HomeKey open = key;
    if (open == null) {
      RandomGenerator random = new KernelRandom();
      open = fleet().isShared()
          ? fleet().tokens(accessFiles(), hostId()).key(random)
          : accessFiles().key(random);
      key = open;
    }
    return open;
  }

  AccessFiles accessFiles() {
    return new AccessFiles(root().resolve("state"), root().resolve("config"),
        new TokenLifetime(Settings.TOKENS_LIFETIME.of(settings)), time, warnings);
  }
}
