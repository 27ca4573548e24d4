package fleet.tower.home;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Supplier;

import fleet.tower.access.Places;
import fleet.tower.audit.AuditLog;
import fleet.tower.intent.Catalogue;
import fleet.tower.intent.Labels;
import fleet.tower.lease.keepalive.LeaseRenewers;
import fleet.tower.mailbox.Mailboxes;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.platform.time.TimeSource;
import fleet.tower.policy.Quota;
import fleet.tower.run.OutsideBeats;
import fleet.tower.run.Processes;
import fleet.tower.run.Run;
import fleet.tower.run.RunStore;
import fleet.tower.run.execute.ExecutorIdentity;
import fleet.tower.run.execute.Prober;
import fleet.tower.run.execute.RunServices;
import fleet.tower.run.file.BeatFiles;
import fleet.tower.run.members.HostDifferences;
import fleet.tower.run.members.Hosts;
import fleet.tower.run.members.IntentHosts;
import fleet.tower.run.members.Member;
import fleet.tower.run.members.MemberProfile;
import fleet.tower.run.members.MemberStore;
import fleet.tower.run.members.Membership;
import fleet.tower.run.members.SingleHost;
import fleet.tower.run.output.SharedOutput;
import fleet.tower.run.process.StepProcesses;
import fleet.tower.run.submit.QueuedRuns;
import fleet.tower.run.submit.RunQueue;
import fleet.tower.run.submit.RunQueueConsumers;
import fleet.tower.run.submit.RunRequest;
import fleet.tower.run.submit.Runs;
import fleet.tower.run.submit.Runs.LookOutcome;
import fleet.tower.run.submit.Runs.PlanOutcome;
import fleet.tower.run.submit.Schedules;

/** Assembles the components that execute runs in a home, and those that plan, queue and observe them. */
public final class HomeRuns {
  private final Home home;
  private final HomeStorage storage;
  private final Consumer<String> warnings;
  private final Home.Listener listener;
  private final TimeSource time;
  private final Scheduler scheduler;

  HomeRuns(Home home, Consumer<String> warnings, Home.Listener listener) {
    this.home = home;
    this.storage = home.storage();
    this.warnings = warnings;
    this.listener = listener;
    this.time = home.time();
    this.scheduler = home.scheduler();
  }

  /** Whether there are such runs. Unlike an engine, this creates nothing in a home. */
  public boolean hasRecorded(RunStore.Query query) {
    return !storage.recordedRuns().list(query).isEmpty();
  }

  /** An engine for reading the runs of the home. */
  public RunEngine engine() {
    return engine(membership(Member.Kind.COMMAND, Optional::empty), home.heartbeats(), _ -> {}, home.catalogue(),
        storage::openRunsToRead);
  }

  /**
   * An engine that executes intents, in a process that the fleet's other hosts know. Create at most one per process.
   */
  public RunEngine engine(Member.Kind kind) {
    Catalogue published = home.catalogue();
    Membership membership = membership(kind, profiles(kind, published));
    membership.begin();
    return engine(membership, home.heartbeats(), _ -> {}, published, storage::openRuns);
  }

  /**
   * The same for a service, where operators get the engine's messages as warnings of the home. The caller must call
   * {@link LeaseRenewers#renewDue} of the engine's heartbeats; otherwise the runs' locks are not renewed.
   */
  public RunEngine tickingEngine(Member.Kind kind) {
    Catalogue published = home.catalogue();
    Membership membership = membership(kind, profiles(kind, published));
    membership.begin();
    return engine(membership,
        LeaseRenewers.ticking(time, scheduler, home.longestInterval()), warnings, published, storage::openRuns);
  }

  /** Only a service executes queued runs, so only a service publishes what it could execute. */
  private Supplier<Optional<MemberProfile>> profiles(Member.Kind kind, Catalogue published) {
    List<String> labels = labels();
    if (kind != Member.Kind.SERVICE) {
      return Optional::empty;
    }
    if (!storage.fleet().isShared()) {
      MemberProfile alone = new MemberProfile(labels, new TreeMap<>(), null);
      return () -> Optional.of(alone);
    }
    return () -> Optional.of(MemberProfile.of(labels, published, home.policyFiles().digest().orElse(null)));
  }

  /** The labels that are set for this host, in addition to its name. */
  private List<String> labels() {
    return Settings.LABELS.given(home.settings()).flatMap(Labels::parse).orElse(List.of());
  }

  /**
   * @param published the intents as the queue and other hosts see them
   *
   * @param own opens the runs of the home, if it has no fleet
   */
  private RunEngine engine(Membership membership, LeaseRenewers heartbeats, Consumer<String> log, Catalogue published,
      Supplier<RunStore> own) {
    AuditLog audit = home.auditLog();
    Catalogue intents = home.catalogue();
    RunStore store = storage.fleet().isShared()
        ? storage.sqlRuns().open(storage.fleet().notifications())
        : own.get();
    SharedOutput output = output(store);
    RunServices services = new RunServices(home.locks(), home.foreignLocks(), home.halts(), home.policyRules(),
        heartbeats,
        store, output.processes(),
        audit, listener.runs(), time, scheduler, log);
    ExecutorIdentity executor = new ExecutorIdentity(storage.presence().id(), home.hostId(),
        ProcessHandle.current().pid(), home.root().toString(), membership::isAlive, outsideBeats(),
        home.holderProcess().orElse(null));
    Runs runs = new Runs(intents, services, executor, home::newRequestId,
        places(membership.self().kind()), storage.key(), listener.tracing(), eligibleHosts(membership, published));
    Schedules schedules = new Schedules(intents, runs, audit, time, scheduler, warnings, listener.runs());
    return new RunEngine(intents, runs, schedules, output, store, heartbeats, membership);
  }

  /** A service has many callers; a command has one. */
  private Places places(Member.Kind kind) {
    int limit = Settings.RUNS_MAX_CONCURRENT.of(home.settings());
    return kind == Member.Kind.SERVICE
        ? Places.shared(limit, Settings.CALLERS_MAX_SHARE.of(home.settings()))
        : Places.ofOneCaller(limit);
  }

  private SharedOutput output(RunStore runs) {
    Fleet fleet = storage.fleet();
    Processes own = processes();
    return fleet.isShared()
        ? SharedOutput.ofFleet(own, StepProcesses.outputs(storage.outputs()), fleet.output(), runs, home.hostId(),
            scheduler, warnings)
        : SharedOutput.ofOneHost(own, home.hostId(), scheduler, warnings);
  }

  private Processes processes() {
    return new StepProcesses(home.root(), storage.outputs(), time, scheduler, StepProcesses.DEFAULT_GRACE,
        Settings.maxOutputPerStep(home.settings(), storage.fleet().isShared()), storage.reserve(), warnings).open();
  }

  private IntentHosts eligibleHosts(Membership membership, Catalogue published) {
    return new IntentHosts(Labels.of(home.hostId(), labels()), published,
        membership.self().kind() == Member.Kind.SERVICE, membership.members()::list, time, storage.fleet().isShared());
  }

  private List<MemberStore.Entry> memberEntries() {
    try (MemberStore members = members(Member.Kind.COMMAND)) {
      return members.list();
    }
  }

  /** The intents in which the live services of the fleet differ. */
  HostDifferences intentDifferences() {
    return new HostDifferences(memberEntries());
  }

  private Membership membership(Member.Kind kind, Supplier<Optional<MemberProfile>> profiles) {
    return new Membership(self(kind), members(kind), storage.presence(), scheduler, warnings, profiles);
  }

  private Member self(Member.Kind kind) {
    return new ThisHost(home.settings()).member(storage.presence().id(), home.root(), kind);
  }

  private MemberStore members(Member.Kind kind) {
    return storage.fleet().isShared()
        ? storage.sqlRuns().members()
        : new SingleHost(self(kind), time.now());
  }

  /** The fleet's executors with their runs and locks; valid until the engine is closed. */
  public Hosts hosts(RunEngine engine) {
    return new Hosts(engine.membership().members(), engine.store(), home.locks());
  }

  /** The queue of runs for a process that consumes none. */
  public QueuedRuns queuedRuns(RunEngine engine) {
    return engine.runs().queued(new RunQueue(notesOfQueue()));
  }

  private Mailboxes notesOfQueue() {
    return home.ownMailboxes(RunQueueConsumers.POLL_INTERVAL);
  }

  /** The queue of runs for an engine of this home; consumes no runs until its consumers are started. */
  public QueueHandle queue(RunEngine engine) {
    RunQueueConsumers.Settings settings = Settings.queue(home.settings());
    Mailboxes notes = notesOfQueue();
    QueuedRuns queued = engine.runs().queued(new RunQueue(notes));
    return new QueueHandle(queued, new RunQueueConsumers(queued, notes,
        settings.withBeatsEvery(home.longestInterval()), time, scheduler, warnings), notes);
  }

  /** The source of heartbeats of runs from outside their executors. */
  public OutsideBeats outsideBeats() {
    return new BeatFiles(home.root().resolve("state/beats"), storage.presence()).open();
  }

  /** The plan of an intent; nothing is written. */
  public PlanOutcome plan(RunRequest request) {
    try (Processes processes = processes()) {
      return PlanOutcome.of(request, home.catalogue(), home.locks(), home.foreignLocks(), home::newRequestId, time,
          storage.key(),
          new IntentHosts(Labels.of(home.hostId(), labels()), home.catalogue(), false, this::memberEntries, time,
              storage.fleet().isShared()),
          home.policyRules(), new Prober(processes, scheduler, home.root().toString()));
    }
  }

  /** What the probe of an intent sees; nothing is written. */
  public LookOutcome look(RunRequest request) {
    try (Processes processes = processes()) {
      return LookOutcome.of(request, home.catalogue(), home::newRequestId, time, storage.key(), home.policyRules(),
          new Prober(processes, scheduler, home.root().toString()));
    }
  }

  /** The first of some quotas that a run would exceed now. */
  public Optional<Quota.Exceeded> exceeded(Run run, List<Quota> quotas) {
    if (quotas.isEmpty()) {
      return Optional.empty();
    }
    RunEngine engine = engine();
    try {
      return engine.store().exceeded(run, quotas);
    } finally {
      engine.close(Duration.ZERO);
    }
  }

  /** The queue of runs: submission, and the consumers of this process, once they are started. */
  public record QueueHandle(QueuedRuns runs, RunQueueConsumers consumers, Mailboxes notes) {

    /** Stops the consumers; returns whether all have ended within that time. */
    public boolean close(Duration patience) {
      boolean haveEnded = consumers.dismiss(patience);
      notes.close();
      return haveEnded;
    }
  }
}
