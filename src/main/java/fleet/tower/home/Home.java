package fleet.tower.home;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import fleet.tower.audit.AuditListener;
import fleet.tower.audit.AuditTrail;
import fleet.tower.audit.ObservedAuditLog;
import fleet.tower.foreign.ForeignLocks;
import fleet.tower.foreign.file.ForeignFiles;
import fleet.tower.guard.Commands;
import fleet.tower.guard.process.GuardProcesses;
import fleet.tower.home.move.MarkFile;
import fleet.tower.home.move.StoreMark;
import fleet.tower.intent.Catalogue;
import fleet.tower.intent.Catalogue.Complaint;
import fleet.tower.intent.yaml.IntentFiles;
import fleet.tower.lease.Actor;
import fleet.tower.lease.Door;
import fleet.tower.lease.Holder;
import fleet.tower.lease.RequestId;
import fleet.tower.lease.keepalive.LeaseRenewers;
import fleet.tower.lock.Freezes;
import fleet.tower.lock.Halts;
import fleet.tower.lock.HolderProcess;
import fleet.tower.lock.Locks;
import fleet.tower.mailbox.Mailboxes;
import fleet.tower.mailbox.sql.SqlMailboxes;
import fleet.tower.platform.ErrorCode;
import fleet.tower.platform.InvalidValue;
import fleet.tower.platform.disk.KernelRandom;
import fleet.tower.platform.sql.Notifications;
import fleet.tower.platform.sql.PoolUse;
import fleet.tower.platform.sql.Reachability;
import fleet.tower.platform.time.CachedValue;
import fleet.tower.platform.time.Notices;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.platform.time.SystemTime;
import fleet.tower.platform.time.TimeSource;
import fleet.tower.policy.Containment;
import fleet.tower.policy.PolicyRules;
import fleet.tower.policy.PolicySource;
import fleet.tower.policy.yaml.PolicyFiles;
import fleet.tower.run.RunListener;
import fleet.tower.run.Tracing;
import fleet.tower.run.members.HolderEvidence;
import fleet.tower.run.members.MemberStore;
import fleet.tower.task.Tasks;

/**
 * A home, on this host's files or in the database of its fleet. Everything is created on first use, so that a command
 * pays only for what it uses.
 */
public final class Home implements AutoCloseable {
  private final Consumer<String> warnings;
  private final Listener listener;
  private final TimeSource time = SystemTime.source();
  private final Scheduler scheduler = SystemTime.scheduler();
  private final HomeStorage storage;
  private @Nullable Locks locks;
  private @Nullable HolderEvidence holders;
  private @Nullable PolicyRules policyRules;

  /**
   * A home that is located on first use, so that a command that needs none works without one.
   *
   * @param finder locates the home
   *
   * @param environment the variables of the environment
   *
   * @param warnings receives problems that do not stop the work
   */
  public Home(HomeFinder finder, Map<String, String> environment, Consumer<String> warnings) {
    this(() -> finder.find().root(), warnings, Listener.NONE,
        new HomeSettings(() -> finder.find().root(), Map.of(), environment));
  }

  /** The home in a directory, with listeners to its events. */
  public Home(Path root, Map<String, String> environment, Consumer<String> warnings, Listener listener) {
    this(root, HomeSettings.of(root, Map.of(), environment), warnings, listener);
  }

  /** The home in a directory, with settings that its program has read. */
  public Home(Path root, HomeSettings settings, Consumer<String> warnings, Listener listener) {
    this(() -> root, warnings, listener, settings);
  }

  private Home(Supplier<Path> root, Consumer<String> warnings, Listener listener, HomeSettings settings) {
    this.warnings = warnings;
    this.listener = listener;
    this.storage = new HomeStorage(root, settings, warnings, listener.events().and(containment()), time, scheduler);
  }

  private Containment containment() {
    return new Containment(this::policyRules, () -> storage().recordedRuns().refusals(), this::halts, time,
        new KernelRandom(), warnings);
  }

  /** Releases everything, including the mark that this process is alive. */
  @Override
  public void close() {
    storage.close();
  }

  /**
   * The directory of the home.
   *
   * @throws NoHomeException if there is none
   */
  public Path root() {
    return storage.root();
  }

  /**
   * Reports outages of the database to a listener only, once each; for a process that lives long. Call it before
   * anything of the home is used.
   */
  public void observeOutages(Reachability.Listener listener) {
    storage.observeOutages(listener);
  }

  /** Whether the database of the home answers, as far as known. */
  public boolean isDatabaseUp() {
    Reachability observed = storage.location().reachability();
    return observed == null || observed.isUp();
  }

  /** How many connections to its database this process uses. */
  public PoolUse databaseUse() {
    return storage.location().use();
  }

  /** Whether the database of the home may be unreachable; if it is, that is reported. */
  public boolean isDatabaseDoubtful() {
    Reachability observed = storage.location().reachability();
    return observed != null && observed.isDoubtful();
  }

  HomeStorage storage() {
    return storage;
  }

  public TimeSource time() {
    return time;
  }

  public Scheduler scheduler() {
    return scheduler;
  }

  /** The notifications between the processes of a fleet; empty on a single host. */
  public Optional<Notifications> notifications() {
    return storage.fleet().isShared() ? Optional.of(storage.fleet().notifications()) : Optional.empty();
  }

  /** The locks of the home; one instance per process, so that all its waiters are in the same queues. */
  public synchronized Locks locks() {
    if (locks == null) {
      locks = new Locks(storage.lockStore(), auditLog(), time, storage.waitQueue(), listener.locks(), knownRuns(),
          Settings.AUDIT_RENEWALS.of(settings()), holders(), policyRules());
    }
    return locks;
  }

  /** The rules of this home on what may begin when. */
  public synchronized PolicyRules policyRules() {
    if (policyRules == null) {
      policyRules = new PolicyRules(policy(), auditLog(), time);
    }
    return policyRules;
  }

  /** The policy of this home. */
  public PolicySource policy() {
    return policyFiles().open(time, scheduler);
  }

  /** The problems of the policy of this home. */
  public List<Complaint> policyComplaints() {
    return policyFiles().complaints();
  }

  /** The problems of files, wherever they are, that are policies by their names. */
  public List<Complaint> examinePolicies(List<Path> files) {
    return files.stream().filter(Home::isPolicy).flatMap(file -> policyFiles().complaintsOf(file).stream()).toList();
  }

  /** Whether a file is a policy by its name. */
  public static boolean isPolicy(Path file) {
    return PolicyFiles.isPolicy(file);
  }

  /** The file of the policy. */
  PolicyFiles policyFiles() {
    return new PolicyFiles(root().resolve("config"), protection().isOff());
  }

  /** The evidence that holders of this home's locks are gone. */
  synchronized HolderEvidence holders() {
    HolderEvidence open = holders;
    if (open == null) {
      open = new HolderEvidence(hostId(), storage.foreignFiles().processes(), storage::recordedRuns, executors());
      holders = open;
    }
    return open;
  }

  /** What is known about the executors of other processes. */
  HolderEvidence.Executors executors() {
    CachedValue<List<MemberStore.Entry>> entries = new CachedValue<>(Duration.ofSeconds(1), _ -> {
      try (MemberStore members = storage.sqlRuns().members()) {
        return members.list();
      }
    }, time);
    return storage.fleet().isShared()
        ? HolderEvidence.Executors.of(entries::get)
        : HolderEvidence.Executors.of(id -> storage.presence().isAlive(id));
  }

  /** This process in the locks that it renews; empty if the system does not report its identity. */
  public Optional<HolderProcess> holderProcess() {
    return holders().identify(ProcessHandle.current().pid());
  }

  private Locks.KnownRuns knownRuns() {
    return new RecordedRuns(storage::recordedRuns, executors());
  }

  /** The freezes of the home's locks. */
  public Freezes freezes() {
    return new Freezes(storage.lockStore(), auditLog());
  }

  /** The halts of the home, also those by a file of this host, and by a policy that cannot be read. */
  public Halts halts() {
    return new Halts(storage.haltStore(), storage.haltPlace().fileSource().and(policyRules().halts()), auditLog());
  }

  /** Other tools' locks on this host. */
  public ForeignLocks foreignLocks() {
    return new ForeignLocks(storage.foreignFiles().opener(), auditLog(), time, warnings);
  }

  /**
   * Other tools' locks on this host, for a command with absolute paths, which needs no home. Without a home, its
   * actions are not audited.
   */
  public ForeignLocks foreignLocksAnywhere() {
    try {
      return foreignLocks();
    } catch (NoHomeException e) {
      if (e.code() != ErrorCode.NO_HOME) {
        throw e;
      }
      return new ForeignLocks(new ForeignFiles(Path.of("/"), time, scheduler).opener(), _ -> true, time, warnings);
    }
  }

  /** The audit log of this host, or of all hosts of its fleet. */
  public AuditTrail auditTrail() {
    AuditTrail own = storage.auditFiles().trail();
    return storage.fleet().isShared() ? storage.fleetLog().trail(own) : own;
  }

  /** Starts copying events of this host's other processes to the fleet's audit log. */
  public void watchAudit() {
    if (storage.fleet().isShared()) {
      storage.fleetLog().watch();
    }
  }

  /** The intents of the home; read on first use. */
  public Catalogue catalogue() {
    return intentFiles().catalogue();
  }

  IntentFiles intentFiles() {
    return new IntentFiles(intentsDirectory(), time, protection().isOff());
  }

  /**
   * Requires that only this user and root can change the files of settings that only the service reads.
   *
   * @throws NoHomeException if others can
   */
  public void requireSettingsOfService() {
    protection().requireSettings();
  }

  HomeProtection protection() {
    return new HomeProtection(root(), Settings.INSECURE_FILES.of(settings()));
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
    return new LeaseRenewers(time, scheduler, longestInterval());
  }

  /** The commands that guards run on this host. */
  public Commands guardedCommands() {
    return new GuardProcesses(time, scheduler, warnings).open();
  }

  /** The maximum time between two heartbeats of a lock or claim; a setting may shorten it. */
  public Duration longestInterval() {
    return storage.longestInterval();
  }

  /** The tasks of the home or of its shared database; the caller closes them. */
  public Tasks tasks() {
    return new Tasks(storage.sqlTasks().open(), auditLog(), this::newRequestId);
  }

  /** The notices of tasks that other processes make available. */
  public Notices taskNotices() {
    return storage.fleet().isShared() ? storage.sqlTasks().notices(storage.fleet().notifications()) : Notices.NONE;
  }

  /** The mailboxes of the home or of its shared database; the caller closes them. */
  public Mailboxes mailboxes() {
    return mailboxes(storage.sqlMailboxes(), Mailboxes.POLL_INTERVAL);
  }

  /**
   * The mailboxes of the product itself, which have no bounds.
   *
   * @param pollInterval the interval of polls if no notices arrive
   */
  Mailboxes ownMailboxes(Duration pollInterval) {
    return mailboxes(storage.ownMailboxes(), pollInterval);
  }

  private Mailboxes mailboxes(SqlMailboxes mailboxes, Duration pollInterval) {
    return storage.fleet().isShared()
        ? new Mailboxes(mailboxes.open(), auditLog(), time, scheduler, this::newRequestId,
            Mailboxes.POLL_INTERVAL_WITH_NOTICES, mailboxes.notices(storage.fleet().notifications()))
        : new Mailboxes(mailboxes.open(), auditLog(), time, scheduler, this::newRequestId, pollInterval, Notices.NONE);
  }

  /** The name of the actor: {@code actor} if given, else the environment's, else the user's. */
  public String actor(Optional<String> actor) {
    String name = actor.or(() -> variable("TOWER_ACTOR")).orElseGet(() -> System.getProperty("user.name", "unknown"));
    InvalidValue.requirePlainLines("actor", name);
    return name;
  }

  /** The actor for the audit log, through a door of this process. */
  public Actor actor(Optional<String> name, Door door) {
    return new Actor(actor(name), door(door));
  }

  /** The door of a command, unless one of our scripts calls it and names its own door. */
  public Door door(Door own) {
    return variable("TOWER_DOOR").filter(Door.SCRIPT.toString()::equals).map(_ -> Door.SCRIPT).orElse(own);
  }

  /** This process as a holder. */
  public Holder holder(String actor, String intent, String intentVersion, long pid) {
    return new Holder(actor, intent, intentVersion, hostId(), pid, false);
  }

  public RequestId newRequestId() {
    return RequestId.random(new KernelRandom());
  }

  /** The store of the home, as its mark names it; empty if the home has not been used. */
  public Optional<StoreMark.Store> store() {
    return MarkFile.of(root()).read().map(StoreMark::store);
  }

  /** The settings of the home. */
  public HomeSettings settings() {
    return storage.settings();
  }

  /** A non-empty variable of the environment. */
  public Optional<String> variable(String name) {
    return settings().variable(name);
  }

  /** The components that execute runs. */
  public HomeRuns runs() {
    return new HomeRuns(this, warnings, listener);
  }

  /** The access control. */
  public HomeAccess access() {
    return new HomeAccess(this, warnings);
  }

  /** The maintenance of the home. */
  public Upkeep upkeep() {
    return new Upkeep(this, warnings);
  }

  /** The audit log to write to. */
  public ObservedAuditLog auditLog() {
    return storage.auditLog();
  }

  /** The name of this host, for display. */
  public String hostId() {
    return storage.hostId();
  }

  /**
   * Listeners to the events of a home. They are called on the thread of the event, so they must be quick and not throw.
   *
   * @param events every event of the audit log
   *
   * @param locks every outcome of a lock request
   *
   * @param runs the runs that start, end or are resubmitted
   *
   * @param tracing the spans of runs and steps
   */
  public record Listener(AuditListener events, Locks.Listener locks, RunListener runs, Tracing tracing) {
    /** No listeners. */
    public static final Listener NONE = new Listener(AuditListener.NONE, Locks.Listener.NONE,
        RunListener.NONE,
        Tracing.NONE);

    /** These listeners, then others; at most one of them traces. */
    public Listener and(Listener next) {
      return new Listener(events.and(next.events), locks.and(next.locks), runs.and(next.runs),
          next.tracing.equals(Tracing.NONE) ? tracing : next.tracing);
    }
  }
}
