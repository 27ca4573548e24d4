package fleet.tower.home;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import fleet.tower.audit.AuditDays;
import fleet.tower.foreign.ForeignName;
import fleet.tower.home.move.HomeMove;
import fleet.tower.home.move.HomeMove.MovingHome;
import fleet.tower.home.move.MarkFile;
import fleet.tower.home.move.MoveStep;
import fleet.tower.intent.Catalogue;
import fleet.tower.intent.CatalogueExamination;
import fleet.tower.intent.Intent;
import fleet.tower.intent.StepLimits;
import fleet.tower.lease.Door;
import fleet.tower.lock.HaltSource;
import fleet.tower.lock.LocksExamination;
import fleet.tower.lock.Replication;
import fleet.tower.lock.file.FileLocks;
import fleet.tower.platform.Examination;
import fleet.tower.platform.Finding;
import fleet.tower.platform.StorageException;
import fleet.tower.platform.StoreSchema;
import fleet.tower.platform.sql.Database;
import fleet.tower.run.RunStore;
import fleet.tower.run.members.AgreementExamination;
import fleet.tower.run.members.HolderEvidence;
import fleet.tower.run.members.InterruptedRunsExamination;
import fleet.tower.run.process.StepProcesses;
import fleet.tower.run.submit.RunQueue;

/** The maintenance of a home: health checks, retention, schema, and the move to a fleet. */
public final class Upkeep {
  private static final String STORE = "store";

  private final Home home;
  private final HomeStorage storage;
  private final Consumer<String> warnings;

  Upkeep(Home home, Consumer<String> warnings) {
    this.home = home;
    this.storage = home.storage();
    this.warnings = warnings;
  }

  /** The health checks of all parts of the home. */
  public Doctor doctor() {
    Optional<Finding> refused = refusal();
    if (refused.isPresent()) {
      return new Doctor(List.of(new HomeExamination(home.root()), () -> List.of(refused.get())));
    }
    Catalogue catalogue = home.intentFiles().catalogue();
    return new Doctor(List.of(
        new JavaExamination(Runtime.version(), System.getProperty("java.class.path", ""), home::variable),
        new HomeExamination(home.root()), this::examineStore, home.protection(), new SpaceExamination(home.root()),
        storage(), new LocksExamination(storage.lockStore(), home.holders()), waiters(),
        new InterruptedRunsExamination(storage::recordedRuns, home.executors(), home.time()),
        storage.auditFiles().examination(), home.access().examination(),
        home.policyFiles().examination(),
        storage.sqlRuns().examination(), storage.sqlTasks().examination(),
        storage.sqlMailboxes().examination(Set.of(RunQueue.MAILBOX)),
        new CatalogueExamination(catalogue), agreement(),
        storage.foreignFiles().examination(() -> foreignNames(catalogue)),
        StepProcesses.examination(home.root(), home.variable("PATH").orElse(null), () -> limits(catalogue)),
        new ClockExamination(home.time())));
  }

  /** The health checks of a home that other users can change: of what is not read from it. */
  public static Doctor doctorOfUntrusted(Path root) {
    return new Doctor(List.of(new HomeExamination(root), new HomeProtection(root, false), new SpaceExamination(root)));
  }

  /** The finding that this program must not use the home, since its settings lead to another store. */
  private Optional<Finding> refusal() {
    try {
      if (storage.fleet().isShared()) {
        storage.fleet().open();
      }
    } catch (StorageException reportedByOthers) {
      // A refusal is reported here, a failure by the check of the database.
    }
    return Optional.ofNullable(storage.store().refusal())
        .map(message -> Finding.fail(STORE, message, "see docs/move-to-a-fleet.md"));
  }

  private List<Finding> examineStore() {
    return List.of(Finding.ok(STORE, store()));
  }

  /** Whether the locks of the home are in the database of a fleet. */
  public boolean hasSharedLocks() {
    return storage.hasSharedLocks();
  }

  /** Where the locks of the home are, for people. */
  public String store() {
    return home.store().map(store -> "the locks are in " + store.place())
        .orElse("no program has used the locks of this home yet");
  }

  private Examination storage() {
    return storage.hasSharedLocks() ? Database.examination(storage.databaseUrl()) : storage.fileLocks().examination();
  }

  private Examination waiters() {
    return storage.hasSharedLocks()
        ? storage.fleet().examination(home.longestInterval())
        : storage.waitQueueFiles().examination();
  }

  /** A check whether the live services of a fleet have the same intents. */
  private Examination agreement() {
    return storage.fleet().isShared() ? new AgreementExamination(home.runs()::intentDifferences) : List::of;
  }

  /**
   * A check whether a lock could be acquired or renewed now, as far as files are concerned; probes each time it runs.
   */
  public Examination lockWriting() {
    return storage.hasSharedLocks() ? List::of : storage.fileLocks().writing();
  }

  /**
   * A check whether runs, tasks and a fleet's locks could be written to their database now; probes each time it runs.
   */
  public Examination databaseReach() {
    return storage.sqlRuns().reach();
  }

  /** The tables of the home's database, or of the database of another URL; a configured URL needs no home. */
  public StoreSchema schema(Optional<String> url) {
    return Database.schema(url.or(() -> Settings.DATABASE_URL.given(home.settings())).orElseGet(storage::databaseUrl));
  }

  /** Warns about the place of the home's locks, if they are files and it is not a local disk that lasts. */
  public void warnOfPlace() {
    if (!storage.hasSharedLocks()) {
      new NewHome(home.root()).warning().ifPresent(warnings);
    }
  }

  /** Whether a standby that takes over would know every granted lock. */
  public Replication replication() {
    return storage.hasSharedLocks() ? storage.fleet().replication(home.longestInterval()) : Replication.NONE;
  }

  /** How much of the past is kept. */
  public Retention.Limits limits() {
    return Settings.retention(home.settings());
  }

  /** Removes what exceeds the limits; use it while the store of runs is open. */
  public Retention retention(RunStore runs, Retention.Limits limits) {
    return new Retention(runs, StepProcesses.outputs(storage.outputs()), auditDays(), home.locks(),
        home.time(), home.scheduler(), limits);
  }

  /** With locks in each host's files, unfinished work of other hosts is unknown. */
  private AuditDays auditDays() {
    AuditDays own = storage.auditFiles().days();
    return storage.fleet().isShared() ? storage.fleetLog().days(own, storage.hasSharedLocks()) : own;
  }

  /** The store of runs, for processes that execute none; the caller closes it. */
  public RunStore records() {
    return storage.openRuns();
  }

  /**
   * The move of this home's own files and SQLite database, whatever database is set; the caller closes it.
   *
   * @param steps receives each step when it is durable
   */
  public HomeMove move(Consumer<MoveStep> steps) {
    boolean areLocksKept = Settings.LOCK_STORE.given(home.settings()).equals(Optional.of("file"));
    FileLocks locks = new FileLocks(storage.locksDirectory(), storage.haltPlace(),
        Settings.LOCK_INSECURE_DIRECTORY.of(home.settings()), home.time(), home.scheduler(),
        storage.auditFiles().log(), warnings, () -> {});
    HolderEvidence evidence = new HolderEvidence(home.hostId(), storage.foreignFiles().processes(),
        storage::recordedRuns, HolderEvidence.Executors.of(storage.presence()::isAlive));
    return new HomeMove(new MovingHome(home.root(), home.hostId(), storage.ownDatabaseUrl(),
        areLocksKept ? null : locks.source(MarkFile.of(home.root()).path(), storage.recorded()),
        areLocksKept ? HaltSource.NONE : locks.haltSource(), evidence,
        storage.presence()::isAlive,
        storage.auditFiles().log(), home.actor(Optional.empty(), home.door(Door.CLI)), home.time(), home.scheduler()),
        steps);
  }

  /** The limits that the steps of intents declare. */
  private static Set<StepLimits> limits(Catalogue catalogue) {
    return catalogue.list().stream().map(Intent::procedure)
        .flatMap(procedure -> Stream.concat(procedure.steps().stream(), procedure.rollback().stream()))
        .map(Intent.Step::limits).collect(Collectors.toSet());
  }

  /** The foreign locks that intents name independently of their parameters. */
  static List<ForeignName> foreignNames(Catalogue catalogue) {
    return catalogue.list().stream().map(Intent::controls)
        .flatMap(controls -> Stream.concat(controls.respect().stream(), controls.exclusive().stream()))
        .filter(template -> template.references().isEmpty())
        .map(template -> ForeignName.parse(template.resolve(_ -> ""))).distinct().toList();
  }
}
