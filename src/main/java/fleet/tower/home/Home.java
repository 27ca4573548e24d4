package fleet.tower.home;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import fleet.tower.access.Access;
import fleet.tower.access.AuditedTokens;
import fleet.tower.access.Tokens;
import fleet.tower.access.file.AccessFiles;
import fleet.tower.access.sql.SqlTokens;
import fleet.tower.audit.AuditLog;
import fleet.tower.audit.AuditTrail;
import fleet.tower.audit.FleetAuditLog;
import fleet.tower.audit.ObservedAuditLog;
import fleet.tower.audit.jsonl.AuditFiles;
import fleet.tower.foreign.ForeignLocks;
import fleet.tower.foreign.file.ForeignFiles;
import fleet.tower.guard.Commands;
import fleet.tower.guard.process.GuardProcesses;
import fleet.tower.home.move.HomeMove;
import fleet.tower.home.move.MarkFile;
import fleet.tower.home.move.MoveMark;
import fleet.tower.home.move.MoveStep;
import fleet.tower.home.move.MovingHome;
import fleet.tower.home.retention.Ages;
import fleet.tower.intent.Catalogue;
import fleet.tower.intent.Catalogue.Complaint;
import fleet.tower.intent.Labels;
import fleet.tower.intent.yaml.IntentFiles;
import fleet.tower.lease.Actor;
import fleet.tower.lease.Door;
import fleet.tower.lease.Holder;
import fleet.tower.lease.RequestId;
import fleet.tower.lease.keepalive.LeaseRenewers;
import fleet.tower.lease.keepalive.RenewalLog;
import fleet.tower.lock.AuditedRenewals;
import fleet.tower.lock.HolderProcess;
import fleet.tower.lock.LockStore;
import fleet.tower.lock.Locks;
import fleet.tower.lock.file.FileLocks;
import fleet.tower.lock.freeze.Freezes;
import fleet.tower.lock.queue.WaitQueue;
import fleet.tower.lock.queue.file.WaitQueueFiles;
import fleet.tower.mailbox.Mailboxes;
import fleet.tower.mailbox.sql.SqlMailboxes;
import fleet.tower.platform.StorageException;
import fleet.tower.platform.check.Examination;
import fleet.tower.platform.disk.KernelRandom;
import fleet.tower.platform.presence.Presence;
import fleet.tower.platform.presence.file.ProcessFiles;
import fleet.tower.platform.sql.Database;
import fleet.tower.platform.sql.DatabaseLocation;
import fleet.tower.platform.sql.Notifications;
import fleet.tower.platform.sql.Reachability;
import fleet.tower.platform.time.CachedValue;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.platform.time.TimeSource;
import fleet.tower.platform.time.system.SystemTime;
import fleet.tower.run.OutsideBeats;
import fleet.tower.run.Processes;
import fleet.tower.run.RunStore;
import fleet.tower.run.execute.ExecutorIdentity;
import fleet.tower.run.execute.RunServices;
import fleet.tower.run.file.BeatFiles;
import fleet.tower.run.members.HolderEvidence;
import fleet.tower.run.members.Hosts;
import fleet.tower.run.members.IntentDifferences;
import fleet.tower.run.members.IntentHosts;
import fleet.tower.run.members.Member;
import fleet.tower.run.members.MemberProfile;
import fleet.tower.run.members.MemberStore;
import fleet.tower.run.members.Membership;
import fleet.tower.run.members.SingleHost;
import fleet.tower.run.members.sql.SqlMembers;
import fleet.tower.run.output.SharedOutput;
import fleet.tower.run.process.StepProcesses;
import fleet.tower.run.queue.RunQueue;
import fleet.tower.run.queue.RunQueueConsumers;
import fleet.tower.run.schedule.Schedules;
import fleet.tower.run.sql.SqlRuns;
import fleet.tower.run.submit.PlanOutcome;
import fleet.tower.run.submit.QueuedRuns;
import fleet.tower.run.submit.RunRequest;
import fleet.tower.run.submit.Runs;
import fleet.tower.task.Tasks;
import fleet.tower.task.sql.SqlTasks;
import fleet.tower.task.worker.TaskNotices;

/**
 * The home on this host's files, or in the database of its fleet. Everything is created on first use, so that a command
 * pays only for what it uses.
 */
public final class Home implements AutoCloseable {
  private final Map<String, String> environment;
  private final Consumer<String> warnings;
  private final HomeListener listener;
  private final Supplier<Path> root;
  private final TimeSource time = SystemTime.source();
  private final Scheduler scheduler = SystemTime.scheduler();
  private @Nullable Presence presence;
  private @Nullable ObservedAuditLog auditLog;
  private @Nullable Locks locks;
  private @Nullable HolderEvidence holders;
  private @Nullable RunStore recordedRuns;
  private @Nullable Fleet fleet;
  private Reachability.@Nullable Listener outages;

  /**
   * A home that is located on first use, so that a command that needs none works without one.
   *
   * @param finder locates the home
   *
   * @param environment the settings by the names of their environment variables
   *
   * @param warnings receives problems that do not stop the work
   */
  public Home(HomeFinder finder, Map<String, String> environment, Consumer<String> warnings) {
    this(() -> finder.find().root(), environment, warnings, HomeListener.NONE);
  }

  /** The home in a directory, with listeners to its events. */
  public Home(Path root, Map<String, String> environment, Consumer<String> warnings, HomeListener listener) {
    this(() -> root, environment, warnings, listener);
  }

  private Home(Supplier<Path> root, Map<String, String> environment, Consumer<String> warnings, HomeListener listener) {
    this.root = root;
    this.environment = environment;
    this.warnings = warnings;
    this.listener = listener;
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
    if (fleet != null) {
      fleet.close();
    }
  }

  /**
   * The directory of the home.
   *
   * @throws NoHomeException if there is none
   */
  public Path root() {
    return root.get();
  }

  private synchronized Presence presence() {
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
      DatabaseLocation location = DatabaseLocation.of(databaseUrl());
      open = new Fleet(observer == null ? location : location.observed(scheduler, time, observer), time, scheduler,
          warnings);
      fleet = open;
    }
    return open;
  }

  /**
   * Reports outages of the database to a listener, once each, and to nobody else; for a process that lives long. Call it
   * before anything of the home is used.
   */
  public synchronized void observeOutages(Reachability.Listener listener) {
    if (fleet != null) {
      throw new IllegalStateException("the database is in use already");
    }
    outages = listener;
  }

  /** Whether the database of the home answers, as far as known. */
  public boolean isDatabaseUp() {
    Reachability observed = fleet().location().reachability();
    return observed == null || observed.isUp();
  }

  /** Whether the database of the home may be away, which is reported if it is so. */
  public boolean isDatabaseDoubtful() {
    Reachability observed = fleet().location().reachability();
    return observed != null && observed.isDoubtful();
  }

  public TimeSource time() {
    return time;
  }

  public Scheduler scheduler() {
    return scheduler;
  }

  /** The notifications between the processes of a fleet; empty on a single host. */
  public Optional<Notifications> notifications() {
    return fleet().isShared() ? Optional.of(fleet().notifications()) : Optional.empty();
  }

  /** The locks of the home; one instance per process, so that all its waiters are in the same queues. */
  public synchronized Locks locks() {
    if (locks == null) {
      locks = new Locks(lockStore(), auditLog(), time, waitQueue(), listener.locks(), this::actorOfRun,
          Settings.AUDIT_RENEWALS.of(this::setting), holders());
    }
    return locks;
  }

  /** The evidence that holders of this home's locks are gone. */
  synchronized HolderEvidence holders() {
    HolderEvidence open = holders;
    if (open == null) {
      open = new HolderEvidence(hostId(), foreignFiles().processes(), this::recordedRuns, executors());
      holders = open;
    }
    return open;
  }

  /** What is known about the executors of other processes. */
  HolderEvidence.Executors executors() {
    CachedValue<List<MemberStore.Entry>> entries = new CachedValue<>(Duration.ofSeconds(1), _ -> {
      try (MemberStore members = new SqlMembers(location()).open()) {
        return members.list();
      }
    }, time);
    return fleet().isShared()
        ? HolderEvidence.Executors.of(entries::get)
        : HolderEvidence.Executors.of(id -> presence().isAlive(id));
  }

  /** This process in the locks that it renews; empty if the system does not report its identity. */
  public Optional<HolderProcess> holderProcess() {
    return holders().identify(ProcessHandle.current().pid());
  }

  private Optional<String> actorOfRun(RequestId requestId) {
    return recordedRuns().find(requestId).map(run -> run.header().origin().actor().name());
  }

  synchronized RunStore recordedRuns() {
    RunStore open = recordedRuns;
    if (open == null) {
      open = sqlRuns().open();
      recordedRuns = open;
    }
    return open;
  }

  /** The freezes of the home's locks. */
  public Freezes freezes() {
    return new Freezes(lockStore(), auditLog());
  }

  /** Other tools' locks on this host. */
  public ForeignLocks foreignLocks() {
    return new ForeignLocks(foreignFiles().opener(), auditLog(), time, warnings);
  }

  /**
   * Other tools' locks on this host, for a command with absolute paths, which needs no home. Without a home, its
   * actions are not audited.
   */
  public ForeignLocks foreignLocksAnywhere() {
    try {
      return foreignLocks();
    } catch (NoHomeException e) {
      if (e.isNamed()) {
        throw e;
      }
      return new ForeignLocks(new ForeignFiles(Path.of("/"), time, scheduler).opener(), _ -> true, time, warnings);
    }
  }

  /** The audit log of this host, or of all hosts of its fleet. */
  public AuditTrail auditTrail() {
    AuditTrail own = auditFiles().trail();
    return fleet().isShared() ? fleetLog().trail(own) : own;
  }

  /** Starts copying events of this host's other processes to the fleet's audit log. */
  public void watchAudit() {
    if (fleet().isShared()) {
      fleetLog().watch();
    }
  }

  /**
   * The intents of the home; read on first use.
   *
   * @throws fleet.tower.platform.StorageException if other users could change them
   */
  public Catalogue catalogue() {
    protection().requireIntents();
    return intentFiles().catalogue();
  }

  IntentFiles intentFiles() {
    return new IntentFiles(intentsDirectory(), time, protection().isOff());
  }

  /** Throws if other users could change the home's intents or settings. */
  public void requireProtection() {
    protection().requireIntents();
    protection().requireSettings();
  }

  HomeProtection protection() {
    return new HomeProtection(root(), Settings.INSECURE_FILES.of(this::setting));
  }

  /** An engine for reading the runs of the home. */
  public RunEngine engine() {
    return engine(membership(Member.Kind.COMMAND, Optional::empty), heartbeats(), _ -> {}, catalogue());
  }

  /**
   * An engine that executes intents, in a process that the fleet's other hosts know. Create at most one per process.
   */
  public RunEngine engine(Member.Kind kind) {
    Catalogue published = catalogue();
    Membership membership = membership(kind, profiles(kind, published));
    membership.begin();
    return engine(membership, heartbeats(), _ -> {}, published);
  }

  /**
   * The same for a service, where operators get the engine's messages as warnings of the home. The caller must call
   * {@link LeaseRenewers#renewDue} of the engine's heartbeats; otherwise the runs' locks are not renewed.
   */
  public RunEngine tickingEngine(Member.Kind kind) {
    Catalogue published = catalogue();
    Membership membership = membership(kind, profiles(kind, published));
    membership.begin();
    return engine(membership, LeaseRenewers.ticking(time, scheduler, renewalLog(), longestInterval()), warnings,
        published);
  }

  /** Only a service executes queued runs, so only a service publishes what it could execute. */
  private Supplier<Optional<MemberProfile>> profiles(Member.Kind kind, Catalogue published) {
    List<String> labels = labels();
    if (kind != Member.Kind.SERVICE) {
      return Optional::empty;
    }
    if (!fleet().isShared()) {
      MemberProfile alone = new MemberProfile(labels, new TreeMap<>());
      return () -> Optional.of(alone);
    }
    return () -> Optional.of(MemberProfile.of(labels, published));
  }

  /** The labels that are set for this host, beside its name. */
  private List<String> labels() {
    return Settings.LABELS.given(this::setting).flatMap(Labels::parse).orElse(List.of());
  }

  /** @param published the intents as the queue and other hosts see them */
  private RunEngine engine(Membership membership, LeaseRenewers heartbeats, Consumer<String> log, Catalogue published) {
    AuditLog audit = auditLog();
    Catalogue intents = catalogue();
    RunStore store = fleet().isShared() ? sqlRuns().open(fleet().notifications()) : sqlRuns().open();
    SharedOutput output = output(store);
    RunServices services = new RunServices(locks(), foreignLocks(), heartbeats, store, output.processes(), audit,
        listener.runs(), time, scheduler, log);
    ExecutorIdentity executor = new ExecutorIdentity(presence().id(), hostId(), ProcessHandle.current().pid(),
        root().toString(),
        membership::isAlive, outsideBeats(), holderProcess().orElse(null));
    Runs runs = new Runs(intents, services, executor, this::newRequestId,
        Settings.RUNS_MAX_CONCURRENT.of(this::setting), listener.tracing(), eligibleHosts(membership, published));
    return new RunEngine(intents, runs, new Schedules(intents, runs, audit, time, scheduler, warnings, listener.runs()),
        output,
        store,
        heartbeats, membership);
  }

  private SharedOutput output(RunStore runs) {
    Processes own = new StepProcesses(root(), outputs(), time, scheduler, StepProcesses.DEFAULT_GRACE,
        Settings.maxOutputPerStep(this::setting, fleet().isShared()), warnings).open();
    return fleet().isShared()
        ? SharedOutput.ofFleet(own, StepProcesses.outputs(outputs()), fleet().output(), runs, hostId(), scheduler,
            warnings)
        : SharedOutput.ofOneHost(own, hostId(), scheduler, warnings);
  }

  private IntentHosts eligibleHosts(Membership membership, Catalogue published) {
    return new IntentHosts(Labels.of(hostId(), labels()), published, membership.self().kind() == Member.Kind.SERVICE,
        membership.roster()::list, time, fleet().isShared());
  }

  private List<MemberStore.Entry> memberEntries() {
    try (MemberStore members = members(Member.Kind.COMMAND)) {
      return members.list();
    }
  }

  /** The intents in which the live services of the fleet differ. */
  IntentDifferences intentDifferences() {
    return new IntentDifferences(memberEntries());
  }

  private Membership membership(Member.Kind kind, Supplier<Optional<MemberProfile>> profiles) {
    return new Membership(self(kind), members(kind), presence(), scheduler, warnings, profiles);
  }

  private Member self(Member.Kind kind) {
    return new ThisHost(this::setting).member(presence().id(), root(), kind);
  }

  private MemberStore members(Member.Kind kind) {
    return fleet().isShared()
        ? new SqlMembers(location()).open()
        : new SingleHost(self(kind), time.now());
  }

  /** The fleet's executors with their runs and locks; valid until the engine is closed. */
  public Hosts hosts(RunEngine engine) {
    return new Hosts(engine.membership().roster(), engine.store(), locks());
  }

  /** The queue of runs for a process that consumes none. */
  public QueuedRuns queuedRuns(RunEngine engine) {
    return engine.runs().queued(new RunQueue(notesOfQueue()));
  }

  private Mailboxes notesOfQueue() {
    return mailboxes(RunQueueConsumers.POLL_INTERVAL);
  }

  /** The queue of runs for an engine of this home; consumes no runs until its consumers are started. */
  public RunQueueHandle queue(RunEngine engine) {
    RunQueueConsumers.Settings settings = Settings.queue(this::setting);
    Mailboxes notes = notesOfQueue();
    QueuedRuns queued = engine.runs().queued(new RunQueue(notes));
    return new RunQueueHandle(queued,
        new RunQueueConsumers(queued, notes, settings.withBeatsEvery(longestInterval()), time, scheduler, warnings),
        notes);
  }

  /** The source of heartbeats of runs from outside their executors. */
  public OutsideBeats outsideBeats() {
    return new BeatFiles(root().resolve("state/beats"), presence()).open();
  }

  /** The plan of an intent; nothing is written. */
  public PlanOutcome plan(RunRequest request) {
    return PlanOutcome.of(request, catalogue(), locks(), foreignLocks(), this::newRequestId, time,
        new IntentHosts(Labels.of(hostId(), labels()), catalogue(), false, this::memberEntries, time,
            fleet().isShared()));
  }

  /** The problems of intent files, wherever they are. */
  public List<Complaint> examine(List<Path> intents) {
    return IntentFiles.examine(intents);
  }

  public Path intentsDirectory() {
    return root().resolve("intents");
  }

  /** Renews leases that this process holds. */
  public LeaseRenewers heartbeats() {
    return heartbeats(renewalLog());
  }

  private RenewalLog renewalLog() {
    return new AuditedRenewals(auditLog(), time);
  }

  /** Renews leases that are stored elsewhere, with another log. */
  public LeaseRenewers heartbeats(RenewalLog log) {
    return new LeaseRenewers(time, scheduler, log, longestInterval());
  }

  /** The commands that guards run on this host. */
  public Commands guardedCommands() {
    return new GuardProcesses(time, scheduler, warnings).open();
  }

  /** The maximum time between two heartbeats of a lock or claim; a setting may shorten it. */
  public Duration longestInterval() {
    return Settings.HEARTBEAT_MAX_INTERVAL.of(this::setting);
  }

  /**
   * Access control of this home's service; creates the operator token if there is none.
   *
   * @param news receives a sentence about a created token, or about the host that has it
   */
  public Access access(Consumer<String> news) {
    KernelRandom random = new KernelRandom();
    return fleet().isShared()
        ? accessFiles().open(
            fleetTokens().open(random, fleet().notifications(), scheduler, news, warnings), random)
        : accessFiles().open(random, path -> news.accept("wrote the operator's token to " + path));
  }

  /** Whether the tokens that are created are known to all hosts of a fleet. */
  public boolean hasFleetTokens() {
    return fleet().isShared();
  }

  /** The tokens that the operator of the fleet creates for others; without a fleet, those of this home. */
  public Tokens tokens() {
    return fleet().isShared() ? audited(fleetTokens().tokens(new KernelRandom())) : localTokens();
  }

  /** The tokens in the file of this home. */
  public Tokens localTokens() {
    return audited(accessFiles().tokens(new KernelRandom()));
  }

  private Tokens audited(Tokens tokens) {
    return new AuditedTokens(tokens, auditLog(), time, actor(Optional.empty(), Door.CLI));
  }

  /** The file with the operator's token; empty if the service does not accept that one, or its fleet is unavailable. */
  public Optional<Path> operatorToken() {
    try {
      Optional<String> own = accessFiles().operator().look().map(it -> it.current().sha256());
      Optional<String> accepted = tokens().operator().map(it -> it.current().sha256());
      return own.isPresent() && own.equals(accepted) ? Optional.of(root().resolve("state/token")) : Optional.empty();
    } catch (StorageException unavailable) {
      return Optional.empty();
    }
  }

  private SqlTokens fleetTokens() {
    return fleet().tokens(accessFiles(), hostId());
  }

  /** The health check of the tokens of this host and of its fleet. */
  Examination tokensExamination() {
    if (!fleet().isShared()) {
      return accessFiles().examination();
    }
    Examination own = accessFiles().fleetExamination();
    Examination fleets = fleetTokens().examination(accessFiles().tokens(new KernelRandom()));
    return () -> Stream.concat(own.examine().stream(), fleets.examine().stream()).toList();
  }

  AccessFiles accessFiles() {
    return new AccessFiles(root().resolve("state"), root().resolve("config"), time, warnings);
  }

  /** The tasks of the home or of its shared database; the caller closes them. */
  public Tasks tasks() {
    return new Tasks(sqlTasks().open(), auditLog(), this::newRequestId);
  }

  /** The notices of tasks that other processes make available. */
  public TaskNotices taskNotices() {
    return fleet().isShared() ? sqlTasks().notices(fleet().notifications()) : TaskNotices.NONE;
  }

  /** The mailboxes of the home or of its shared database; the caller closes them. */
  public Mailboxes mailboxes() {
    return mailboxes(Mailboxes.POLL_INTERVAL);
  }

  /** @param pollInterval the interval of polls where no notices arrive */
  private Mailboxes mailboxes(Duration pollInterval) {
    SqlMailboxes mailboxes = sqlMailboxes();
    return fleet().isShared()
        ? new Mailboxes(mailboxes.open(), auditLog(), time, scheduler, this::newRequestId,
            Mailboxes.POLL_INTERVAL_WITH_NOTICES, mailboxes.notices(fleet().notifications()))
        : new Mailboxes(mailboxes.open(), auditLog(), time, scheduler, this::newRequestId, pollInterval);
  }

  /** The name of the actor: {@code actor} if given, else the environment's, else the user's. */
  public String actor(Optional<String> actor) {
    return actor.or(() -> setting("TOWER_ACTOR")).orElseGet(() -> System.getProperty("user.name", "unknown"));
  }

  /** The actor for the audit log, through a door of this process. */
  public Actor actor(Optional<String> name, Door door) {
    return new Actor(actor(name), door(door));
  }

  /** The door of a command, unless a script of ours calls it and says so. */
  public Door door(Door own) {
    return setting("TOWER_DOOR").filter(Door.SCRIPT.toString()::equals).map(_ -> Door.SCRIPT).orElse(own);
  }

  /** This process as a holder. */
  public Holder holder(String actor, String intent, String intentVersion, long pid) {
    return new Holder(actor, intent, intentVersion, hostId(), pid);
  }

  public RequestId newRequestId() {
    return RequestId.random(new KernelRandom());
  }

  /** A non-empty value of the environment. */
  public Optional<String> setting(String name) {
    return Optional.ofNullable(environment.get(name)).filter(value -> !value.isEmpty());
  }

  /** The maintenance of the home. */
  public Upkeep upkeep() {
    return new Upkeep(this);
  }

  Ages ages() {
    return Settings.ages(this::setting);
  }

  Path outputs() {
    return root().resolve("logs/runs");
  }

  LockStore lockStore() {
    return isFleet() ? fleet().locks(longestInterval()) : fileLocks().open();
  }

  private WaitQueue waitQueue() {
    return isFleet() ? fleet().waitQueue(() -> presence().id()) : waitQueueFiles().open();
  }

  /** Whether locks are in the fleet's shared database. */
  boolean isFleet() {
    return !Settings.LOCK_STORE.given(this::setting).equals(Optional.of("file")) && fleet().isShared();
  }

  FileLocks fileLocks() {
    return new FileLocks(locksDirectory(), Settings.LOCK_INSECURE_DIRECTORY.of(this::setting), time, scheduler,
        auditLog(), warnings);
  }

  ForeignFiles foreignFiles() {
    return new ForeignFiles(root(), time, scheduler);
  }

  WaitQueueFiles waitQueueFiles() {
    return new WaitQueueFiles(locksDirectory(), presence(), warnings);
  }

  SqlRuns sqlRuns() {
    return new SqlRuns(location());
  }

  SqlTasks sqlTasks() {
    return new SqlTasks(location(), time);
  }

  SqlMailboxes sqlMailboxes() {
    return new SqlMailboxes(location(), time);
  }

  Examination storage() {
    return isFleet() ? Database.examination(databaseUrl()) : fileLocks().examination();
  }

  Examination waiters() {
    return isFleet() ? fleet().examination(longestInterval()) : waitQueueFiles().examination();
  }

  private DatabaseLocation location() {
    return fleet().location();
  }

  /** @throws fleet.tower.platform.StorageException if the home has moved, or is moving, to another database */
  String databaseUrl() {
    String url = Settings.DATABASE_URL.given(this::setting).orElseGet(this::ownDatabaseUrl);
    MarkFile.of(root()).require(!url.equals(ownDatabaseUrl()));
    return url;
  }

  private String ownDatabaseUrl() {
    return "jdbc:sqlite:" + root().resolve("state/tower.db");
  }

  /** Why this home cannot be used with the present settings, as it has moved or is moving; empty if it can. */
  Optional<MoveMark> moved() {
    boolean isFleet = Settings.DATABASE_URL.given(this::setting).isPresent();
    return MarkFile.of(root()).read().filter(mark -> mark.refuses(isFleet));
  }

  /**
   * The move of this home's own files and SQLite database, whatever database is set; the caller closes it.
   *
   * @param steps receives each step when it is durable
   */
  public HomeMove move(Consumer<MoveStep> steps) {
    boolean areLocksKept = Settings.LOCK_STORE.given(this::setting).equals(Optional.of("file"));
    FileLocks locks = new FileLocks(locksDirectory(), Settings.LOCK_INSECURE_DIRECTORY.of(this::setting), time,
        scheduler, auditFiles().log(), warnings);
    HolderEvidence evidence = new HolderEvidence(hostId(), foreignFiles().processes(), this::recordedRuns,
        HolderEvidence.Executors.of(presence()::isAlive));
    return new HomeMove(new MovingHome(root(), hostId(), ownDatabaseUrl(),
        areLocksKept ? null : locks.source(MarkFile.of(root()).path()), evidence, presence()::isAlive,
        auditFiles().log(), actor(Optional.empty(), door(Door.CLI)), time, scheduler),
        steps);
  }

  private Path locksDirectory() {
    return root().resolve("logs/locks");
  }

  /** One log per process, so that events of several threads share a sync. */
  public synchronized ObservedAuditLog auditLog() {
    ObservedAuditLog log = auditLog;
    if (log == null) {
      AuditLog own = auditFiles().log();
      log = new ObservedAuditLog(fleet().isShared() ? fleetLog().replicating(own) : own, listener.events(), time);
      auditLog = log;
    }
    return log;
  }

  FleetAuditLog fleetLog() {
    return fleet().log(auditFiles().pages(), hostId());
  }

  AuditFiles auditFiles() {
    return new AuditFiles(root().resolve("logs/audit"), scheduler, warnings);
  }

  /** The name of this host, for display. */
  public String hostId() {
    return new ThisHost(this::setting).id();
  }
}
