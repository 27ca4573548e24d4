package fleet.tower.run.submit;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

import fleet.tower.access.Places;
import fleet.tower.foreign.ForeignLocks;
import fleet.tower.harness.Await;
import fleet.tower.harness.RenewedLock;
import fleet.tower.intent.Catalogue;
import fleet.tower.intent.Intent;
import fleet.tower.intent.Values;
import fleet.tower.lease.Actor;
import fleet.tower.lease.Door;
import fleet.tower.lease.Holder;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.RequestId;
import fleet.tower.lease.Ttl;
import fleet.tower.lease.keepalive.LeaseRenewers;
import fleet.tower.lock.AcquireOutcome;
import fleet.tower.lock.FreezeRequest;
import fleet.tower.lock.Halt;
import fleet.tower.lock.HaltSource;
import fleet.tower.lock.LockStore;
import fleet.tower.lock.Locks;
import fleet.tower.lock.RecordedAudit;
import fleet.tower.lock.TestLocks;
import fleet.tower.lock.TestRequest;
import fleet.tower.lock.file.FileLocks;
import fleet.tower.lock.queue.file.WaitQueueFiles;
import fleet.tower.platform.Presence;
import fleet.tower.platform.StorageException;
import fleet.tower.platform.disk.ProcessFiles;
import fleet.tower.platform.secret.HomeKey;
import fleet.tower.platform.time.ManualTime;
import fleet.tower.platform.time.SystemTime;
import fleet.tower.policy.Policy;
import fleet.tower.policy.PolicyRules;
import fleet.tower.policy.PolicySource;
import fleet.tower.run.ManualProcesses;
import fleet.tower.run.MemoryRuns;
import fleet.tower.run.OutsideBeats;
import fleet.tower.run.Run;
import fleet.tower.run.RunListener;
import fleet.tower.run.Tracing;
import fleet.tower.run.execute.ExecutorIdentity;
import fleet.tower.run.execute.LockTerms;
import fleet.tower.run.execute.RunHandle;
import fleet.tower.run.execute.RunServices;
import fleet.tower.run.file.BeatFiles;

/** An executor with locks in real files, and with manual time, processes and records. */
public final class TestExecutor implements AutoCloseable {
  /** The key under which plans show secrets. */
  static final HomeKey KEY = new HomeKey(() -> "key of tests");

  /** The time until the next check of a waiter that is the first in its queue. */
  private static final Duration UNTIL_NEXT_CHECK = Duration.ofMillis(250);

  public final ManualTime time = new ManualTime("2026-01-01T10:00:00Z");
  public final RecordedAudit audit = new RecordedAudit();
  public final MemoryRuns store = new MemoryRuns();
  public final ManualProcesses processes = new ManualProcesses();
  public final Map<String, Intent> intents = new LinkedHashMap<>();
  public final List<String> deadExecutors = new CopyOnWriteArrayList<>();
  public final ManualForeignLocks foreigners = new ManualForeignLocks();
  /** The halts in force, by their names. */
  final Map<String, Halt> halts = new ConcurrentHashMap<>();
  /** Whether no halt can be read. */
  volatile boolean hidesHalts;
  public final List<String> log = new CopyOnWriteArrayList<>();
  public final ForeignLocks foreign = new ForeignLocks(foreigners, audit, time, log::add);
  public final Locks locks;
  public final Runs runs;
  public final Catalogue catalogue = new Shelf();
  /** What happens when the files of an intent are read again. */
  volatile Runnable onReread = () -> {};
  volatile Policy policy = Policy.NONE;
  private final PolicyRules rules;
  public final OutsideBeats outside;
  private final LockStore lockStore;
  private final Presence presence;
  private final Path directory;

  /** The intents of this executor. */
  private final class Shelf implements Catalogue {
    @Override
    public Optional<Intent> find(String name) {
      return Optional.ofNullable(intents.get(name));
    }

    @Override
    public Optional<Intent> current(String name) {
      onReread.run();
      return find(name);
    }

    @Override
    public List<Intent> list() {
      return List.copyOf(intents.values());
    }

    @Override
    public List<Complaint> complaints() {
      return List.of();
    }
  }

  private final RunServices services;
  private final Random random = new Random(1);
  private final List<Runs> executors = new ArrayList<>();

  public TestExecutor(Path directory) {
    this.directory = directory;
    lockStore = new FileLocks(directory, true, time, SystemTime.scheduler(), audit, _ -> {}).open();
    presence = new ProcessFiles(directory.resolveSibling("processes")).open();
    outside = new BeatFiles(beats(), presence).open();
    rules = new PolicyRules(() -> new PolicySource.Known(policy), audit, time);
    locks = TestLocks.of(lockStore, audit, time, new WaitQueueFiles(directory, presence, _ -> {}).open(), rules);
    services = new RunServices(locks, foreign, this::haltsInForce, rules,
        new LeaseRenewers(time, time, Duration.ofSeconds(30)), store, processes,
        audit, RunListener.NONE, time, time, log::add);
    runs = executor("executor-1");
  }

  /** The runs of one more process of the same home. */
  public Runs executor(String id) {
    return executor(id, EligibleHosts.SINGLE);
  }

  /** The same for a host of a fleet. */
  Runs executor(String id, EligibleHosts hosts) {
    ExecutorIdentity executor = new ExecutorIdentity(id, "tower-01", 4711, "/home",
        other -> !deadExecutors.contains(other), outside, null);
    Runs created = new Runs(catalogue, services, executor, () -> RequestId.random(random),
        Places.ofOneCaller(Integer.MAX_VALUE), KEY, Tracing.NONE, hosts);
    executors.add(created);
    return created;
  }

  String digestOf(String intent) {
    return Objects.requireNonNull(intents.get(intent)).digest();
  }

  public TestExecutor with(IntentBuilder... declared) {
    for (IntentBuilder one : declared) {
      Intent intent = one.intent();
      intents.put(intent.name(), intent);
    }
    return this;
  }

  public static RunRequest request(String intent, String id) {
    return request(intent, id, LockTerms.PLAIN);
  }

  public static RunRequest request(String intent, String id, LockTerms terms) {
    return new RunRequest(intent, Map.of("app", new Values.Given("money", Values.Given.Kind.STRING)), new RequestId(id),
        null, new Run.Origin(new Actor("alice", Door.RUN), "{}", null), terms, null, null);
  }

  /** Submits a request, which must be accepted. */
  public RunHandle accepted(RunRequest request) {
    return switch (runs.submit(request)) {
      case SubmitOutcome.Accepted(RunHandle handle, boolean _) -> handle;
      case SubmitOutcome.Refusal rejected -> throw new AssertionError("rejected: " + rejected);
    };
  }

  /** Submits a request, and waits for the end of the run. */
  public Run run(String intent) {
    return accepted(request(intent, "r1")).await();
  }

  /** Another actor takes a lock. */
  public void hold(String name, String by) {
    AcquireOutcome outcome = locks.acquire(TestRequest.of(new LeaseName(name), new RequestId(by),
        new Holder("bob", "manual", "none", "tower-02", 1, false), new Ttl(900), false));
    if (!(outcome instanceof AcquireOutcome.Granted)) {
      throw new AssertionError("not granted: " + outcome);
    }
  }

  /** Freezes a lock for half an hour. */
  public void freeze(String name) {
    lockStore.freeze(new FreezeRequest(new LeaseName(name), new RequestId("req_freeze"), "ann", "migration",
        new Ttl(1800), null));
  }

  /** An operator halts something. */
  void halt(Halt.Level level, Halt.Scope scope) {
    halts.put("stop", new Halt("stop", new RequestId("req_halt"), scope, level, "ann", null, "wrong release", null,
        time.now()));
  }

  private HaltSource.InForce haltsInForce() {
    if (hidesHalts) {
      throw new StorageException("no halt can be read");
    }
    return new HaltSource.InForce(List.copyOf(halts.values()), List.of());
  }

  /** Waits until a run waits for a lock as the first in the queue, with a timer for its next check. */
  public void awaitWaiter(String name) {
    Await.until("a run waits for " + name, () -> locks.waiters(new LeaseName(name)) > 0
        && time.pendingDelays().contains(UNTIL_NEXT_CHECK));
  }

  /** The directory of heartbeats from outside. */
  Path beats() {
    return directory.resolveSibling("beats");
  }

  public boolean isLocked(String name) {
    return Files.exists(directory.resolve(name + ".lock"));
  }

  /** From now on a lock can be released, but not renewed. */
  public void blockRenewals(String name) {
    RenewedLock.block(directory, name);
  }

  public void unblockRenewals(String name) {
    RenewedLock.unblock(directory, name);
  }

  /** From now on no lock can be read or written: a file replaces their directory. */
  public void breakDirectory() {
    try {
      Files.move(directory, directory.resolveSibling("locks-before"));
      Files.createFile(directory);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  public void delete(String name) {
    try {
      Files.delete(directory.resolve(name + ".lock"));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /** Ends all runs first, so that none changes a file while the directory is deleted. */
  @Override
  public void close() {
    processes.endAll();
    executors.forEach(one -> Thread.ofVirtual().start(() -> one.close(Duration.ZERO)));
    Await.until("all runs have ended", () -> {
      time.advance(Duration.ofSeconds(1));
      return executors.stream().allMatch(one -> one.active() == 0);
    });
    presence.close();
    lockStore.close();
  }
}
