package fleet.tower.lock.file;

import static fleet.tower.lease.Actors.ACTOR;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import fleet.tower.audit.AuditEvent;
import fleet.tower.audit.Origin;
import fleet.tower.audit.jsonl.AuditFiles;
import fleet.tower.lease.Actor;
import fleet.tower.lease.Actors;
import fleet.tower.lease.Decision;
import fleet.tower.lease.FencingToken;
import fleet.tower.lease.Lease;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.Owner;
import fleet.tower.lease.RequestId;
import fleet.tower.lease.keepalive.Renewal;
import fleet.tower.lock.AcquireOutcome;
import fleet.tower.lock.AcquireRequest;
import fleet.tower.lock.ForceReleaseOutcome;
import fleet.tower.lock.GrantRules;
import fleet.tower.lock.HolderProbe;
import fleet.tower.lock.LockClient.ForcedRelease;
import fleet.tower.lock.LockStore;
import fleet.tower.lock.Locks;
import fleet.tower.lock.ReleaseOutcome;
import fleet.tower.lock.RenewOutcome;
import fleet.tower.lock.TestLocks;
import fleet.tower.lock.TestRequest;
import fleet.tower.lock.queue.WaitQueue;
import fleet.tower.platform.StorageException;
import fleet.tower.platform.disk.Journal;

@DisplayName("Every change of a lock's holder is audited as it happened, even if the disk fails during it")
class LocksAuditTest {
  private static final LeaseName PROD = new LeaseName("prod");
  private static final RequestId ANNA = new RequestId("req_anna");
  private static final RequestId BERT = new RequestId("req_bert");

  private final Path temp;
  @AutoClose
  private final FileFixture files;

  LocksAuditTest(@TempDir Path temp) {
    this.temp = temp;
    files = new FileFixture(temp.resolve("locks"));
  }

  private static AcquireRequest anna() {
    return TestRequest.by(ANNA.value(), PROD.value()).request();
  }

  /** Locks whose disk fails at the calls named by {@code operation file}. */
  private Locks failing(Set<String> calls) {
    LockStore store = files.kept(FileStores.on(new TappedDirectory(files.nio(true), call -> {
      if (calls.contains(call.operation() + " " + call.file())) {
        throw new FileSystemException(call.file(), null, "Input/output error");
      }
    }), files.time()));
    return TestLocks.of(store, files.audit(), files.time());
  }

  private List<String> events() {
    return files.audit().events().stream().map(event -> event.getClass().getSimpleName()).toList();
  }

  private Lease staleLock() {
    Lease lease = files.granted(TestRequest.by("req_anna", "prod"));
    files.time().advance(Duration.ofHours(1));
    return lease;
  }

  @Test
  @DisplayName("TF-7.2 TF-A17 a refusal audits its reason; repeated requests and renewals audit nothing")
  void auditsRefusals() {
    Locks locks = files.locks();
    Lease held = files.granted(TestRequest.by("req_anna", "prod"));
    locks.acquire(TestRequest.by("req_anna", "prod").request());
    assertThat(locks.renew(ACTOR, PROD, held.owner(), held.token())).isInstanceOf(RenewOutcome.Renewed.class);
    assertThat(files.audit().events()).isEmpty();

    locks.acquire(TestRequest.by("req_bert", "prod").withForce().request());
    assertThat(files.audit().events())
        .containsExactly(new AuditEvent.LockBlocked(BERT, files.time().now(), PROD, "lock_blocked", held,
            Actors.of(TestRequest.HOLDER)));
  }

  @Test
  @DisplayName("LK-9 a renewal is audited if configured, whether requested or automatic, with the lock's holder")
  void auditsRenewals() {
    Locks locks = new Locks(files.store(), files.audit(), files.time(), WaitQueue.NONE, Locks.Listener.NONE,
        Locks.KnownRuns.NONE, true, HolderProbe.NONE, GrantRules.NONE);
    Lease held = files.granted(TestRequest.by("req_anna", "prod"));
    files.time().advance(Duration.ofSeconds(30));
    locks.renew(ACTOR, PROD, held.owner(), held.token());
    files.time().advance(Duration.ofSeconds(30));
    assertThat(locks.renewal(ACTOR, held).renew()).isInstanceOf(Renewal.Renewed.class);
    locks.renew(ACTOR, PROD, Owner.ofAnyActor(BERT), FencingToken.NONE);

    Origin origin = Origin.of(ACTOR, held.holder());
    assertThat(files.audit().events()).containsExactly(
        new AuditEvent.LockRenewed(held.requestId(), held.createdAt().plusSeconds(30), PROD, held.token(), 0, origin),
        new AuditEvent.LockRenewed(held.requestId(), held.createdAt().plusSeconds(60), PROD, held.token(), 0, origin));
  }

  @Test
  @DisplayName("TF-A18 a late renewal is always audited, with its delay")
  void auditsLateRenewals() {
    Lease held = files.granted(TestRequest.by("req_anna", "prod"));
    files.time().advance(Duration.ofSeconds(1000));

    assertThat(files.locks().renew(ACTOR, PROD, held.owner(), held.token()))
        .isInstanceOfSatisfying(RenewOutcome.Renewed.class,
            renewed -> assertThat(renewed.lateBySeconds()).isEqualTo(100));

    assertThat(files.audit().events()).containsExactly(new AuditEvent.LockRenewed(held.requestId(),
        held.createdAt().plusSeconds(1000), PROD, held.token(), 100, Origin.of(ACTOR, held.holder())));
  }

  @Test
  @DisplayName("TF-A19 releasing a free lock or another's lock is not audited")
  void auditsNoEmptyRelease() {
    Locks locks = files.locks();
    assertThat(locks.release(ACTOR, PROD, Owner.ofAnyActor(BERT), FencingToken.NONE, Locks.Result.SUCCESS, null))
        .isEqualTo(new ReleaseOutcome.Absent());
    files.granted(TestRequest.by("req_anna", "prod"));
    assertThat(locks.release(ACTOR, PROD, Owner.ofAnyActor(BERT), FencingToken.NONE, Locks.Result.SUCCESS, null))
        .isInstanceOf(ReleaseOutcome.NotOwner.class);
    assertThat(files.audit().events()).isEmpty();
  }

  @Test
  @DisplayName("TF-8.3 a lock that cannot be removed: lock_release_failed with its path and EIO: message")
  void auditsAFailedRelease() {
    Lease held = files.granted(TestRequest.by("req_anna", "prod"));
    Locks locks = failing(Set.of("unlink prod.lock"));
    assertThat(locks.release(ACTOR, PROD, held.owner(), held.token(), Locks.Result.SUCCESS, null))
        .isEqualTo(new ReleaseOutcome.Failed(held, files.time().now(), "EIO: input/output error"));
    assertThat(files.audit().events()).isEqualTo(Actors.pair(new AuditEvent.LockReleaseFailed(held.requestId(),
        files.time().now(), PROD, files.lock("prod").toString(), "EIO: input/output error",
        Origin.of(ACTOR, held.holder()))));
  }

  @ParameterizedTest(name = "a steal: {0}")
  @CsvSource({"true, LockStolen LockActor LockAcquired LockActor LockReleaseFailed LockActor",
      "false, LockStolen LockActor LockAcquired LockActor LockReleased LockActor"})
  @DisplayName("TF-7.3 TF-A9 a steal that was undone audits all of it: stolen, acquired, and released or not")
  void auditsAStealTakenBack(boolean undoFails, String expected) {
    Lease stale = staleLock();
    Set<String> calls = undoFails ? Set.of("sync .journal", "unlink prod.lock") : Set.of("sync .journal");
    Locks locks = failing(calls);
    assertThat(locks.acquire(TestRequest.by("req_bert", "prod").withForce().request()))
        .isInstanceOfSatisfying(AcquireOutcome.Undone.class, undone -> {
          assertThat(undone.previous()).isNotNull().extracting("lease").isEqualTo(stale);
          assertThat(undone.error())
              .isEqualTo("the changes cannot be synced to the disk: .journal: Input/output error");
          assertThat(undone.leftBehind()).isEqualTo(undoFails);
        });
    assertThat(String.join(" ", events())).isEqualTo(expected);
    assertThat(Files.exists(files.lock("prod"))).isEqualTo(undoFails);
  }

  @ParameterizedTest(name = "an acquire: {0}")
  @CsvSource({"true, LockAcquired LockActor LockReleaseFailed LockActor",
      "false, LockAcquired LockActor LockReleased LockActor"})
  @DisplayName("TF-8.3 an acquire that was undone audits all of it too: acquired, and released or not")
  void auditsAnAcquireTakenBack(boolean undoFails, String expected) throws IOException {
    Set<String> calls = undoFails ? Set.of("sync .journal", "unlink prod.lock") : Set.of("sync .journal");
    Locks locks = failing(calls);
    assertThat(locks.acquire(TestRequest.by("req_bert", "prod").request()))
        .isInstanceOf(AcquireOutcome.Undone.class);
    assertThat(String.join(" ", events())).isEqualTo(expected);
    assertThat(Files.exists(files.lock("prod"))).isEqualTo(undoFails);
  }

  @Test
  @DisplayName("A grant that is undone before it has its name is not audited")
  void auditsNoUnlinkedAcquire() throws IOException {
    Locks locks = failing(Set.of("link prod.lock"));
    assertThatThrownBy(() -> locks.acquire(TestRequest.by("req_bert", "prod").request()))
        .isInstanceOf(StorageException.class);
    assertThat(events()).isEmpty();
    assertThat(Files.exists(files.lock("prod"))).isFalse();
  }

  @Test
  @DisplayName("A grant and its events are on disk after one sync, a release and its event too")
  void syncsOnce() throws IOException {
    List<String> syncs = new ArrayList<>();
    Path audit = temp.resolve("audit");
    FileLockStore store = FileStores.on(new TappedDirectory(files.nio(true), call -> {
      if (call.operation().equals("sync")) {
        syncs.add(call.file());
      }
    }), files.time());
    LockStore _ = files.kept(store);
    Locks locks = TestLocks.of(store, new AuditFiles(audit, files.time(), warning -> syncs.add(warning)).log(store),
        files.time());
    TestRequest asking = TestRequest.by("req_bert", "prod");
    assertThat(locks.acquire(asking.request())).isInstanceOf(AcquireOutcome.Granted.class);
    assertThat(locks.release(ACTOR, PROD, asking.owner(), FencingToken.NONE, Locks.Result.SUCCESS, null))
        .isInstanceOf(ReleaseOutcome.Released.class);
    syncs.clear();

    assertThat(locks.acquire(asking.request())).isInstanceOf(AcquireOutcome.Granted.class);
    assertThat(syncs).containsExactly(".journal");
    assertThat(locks.release(ACTOR, PROD, asking.owner(), FencingToken.NONE, Locks.Result.SUCCESS, null))
        .isInstanceOf(ReleaseOutcome.Released.class);
    assertThat(syncs).containsExactly(".journal", ".journal");
    assertThat(recorded("lock_acquired")).isEqualTo(2);
    assertThat(recorded("lock_released")).isEqualTo(2);
  }

  /** The number of records in the journal that contain an event. */
  private long recorded(String event) throws IOException {
    return Files.readAllLines(temp.resolve("locks").resolve(Journal.CURRENT)).stream()
        .filter(line -> line.contains("audit") && line.contains(event)).count();
  }

  @Test
  @DisplayName("A release whose record cannot be synced is done, and in the log")
  void auditsAReleaseNotSynced() throws IOException {
    List<String> warnings = new ArrayList<>();
    Path audit = temp.resolve("audit");
    Set<String> broken = new HashSet<>();
    FileLockStore store = FileStores.on(new TappedDirectory(files.nio(true), call -> {
      if (broken.contains(call.operation() + " " + call.file())) {
        throw new FileSystemException(call.file(), null, "Input/output error");
      }
    }), files.time());
    LockStore _ = files.kept(store);
    Locks locks = TestLocks.of(store, new AuditFiles(audit, files.time(), warnings::add).log(store), files.time());
    TestRequest asking = TestRequest.by("req_bert", "prod");
    assertThat(locks.acquire(asking.request())).isInstanceOf(AcquireOutcome.Granted.class);
    broken.add("sync .journal");

    assertThat(locks.release(ACTOR, PROD, asking.owner(), FencingToken.NONE, Locks.Result.SUCCESS, null))
        .isInstanceOf(ReleaseOutcome.Released.class);
    assertThat(Files.exists(files.lock("prod"))).isFalse();
    assertThat(warnings).isEmpty();
    try (Stream<Path> days = Files.list(audit)) {
      assertThat(days.toList()).singleElement().satisfies(
          day -> assertThat(Files.readString(day)).contains("lock_acquired", "lock_released"));
    }
  }

  @Test
  @DisplayName("TF-A38 TF-5.3 a lock with a second hard link is renewed by replacing it; the other name keeps its bytes")
  void leavesOtherLinksAlone() throws IOException {
    Lease held = files.granted(TestRequest.by("req_anna", "prod"));
    Path other = Files.createLink(temp.resolve("other"), files.lock("prod"));
    byte[] before = FileFixture.read(other);
    files.time().advance(Duration.ofSeconds(7));

    assertThat(files.store().renew(PROD, held.owner(), held.token())).isInstanceOf(RenewOutcome.Renewed.class);
    assertThat(FileFixture.read(other)).isEqualTo(before).isNotEqualTo(files.bytes("prod"));
  }

  @Test
  @DisplayName("TF-A26 TF-A27 a release audits for how many whole seconds the lock was held, and how the work ended")
  void auditsReleases() {
    Lease held = files.granted(TestRequest.by("req_anna", "prod"));
    files.time().advance(Duration.ofMillis(890_900));

    files.locks().release(ACTOR, PROD, held.owner(), held.token(), Locks.Result.ABORTED, null);

    assertThat(files.audit().events()).isEqualTo(Actors.pair(new AuditEvent.LockReleased(held.requestId(),
        held.createdAt().plusMillis(890_900), PROD, 890, "aborted", null, Origin.of(ACTOR, held.holder()))));
  }

  /** Locks of a home with one run. */
  private Locks beside(Locks.KnownRuns.KnownRun run, List<RequestId> abandoned) {
    return new Locks(files.store(), files.audit(), files.time(), WaitQueue.NONE, Locks.Listener.NONE,
        new Locks.KnownRuns() {
          @Override
          public Optional<KnownRun> find(RequestId requestId) {
            return Optional.of(run).filter(_ -> requestId.equals(ANNA));
          }

          @Override
          public void abandon(RequestId requestId, Actor by) {
            abandoned.add(requestId);
          }
        }, false, HolderProbe.NONE, GrantRules.NONE);
  }

  private Locks beside(Locks.KnownRuns.KnownRun run) {
    return beside(run, new ArrayList<>());
  }

  @ParameterizedTest(name = "alive: {0}")
  @ValueSource(booleans = {false, true})
  @DisplayName("Decision 17 a client that acquires a lock by the id of a run, which may hold none yet, is refused")
  void acquiresByARunsId(boolean isAlive) {
    Locks locks = beside(new Locks.KnownRuns.KnownRun("ann", isAlive));
    Decision.OfRun refusal = new Decision.OfRun(ANNA, "ann", !isAlive);

    assertThat(locks.acquire(anna())).isEqualTo(new AcquireOutcome.Refused(refusal));

    assertThat(files.lock("prod")).doesNotExist();
    assertThat(files.audit().events()).containsExactly(new AuditEvent.LockBlocked(ANNA, files.time().now(), PROD,
        "lock_of_run", null, Actors.of(TestRequest.HOLDER)));
  }

  @Test
  @DisplayName("Decision 17 a client that renews or releases by the id of a run that waits is refused, not told of the "
      + "holder")
  void usesTheIdOfARunThatWaits() {
    Lease held = files.granted(TestRequest.by(BERT.value(), "prod"));
    Locks locks = beside(new Locks.KnownRuns.KnownRun("ann", true));
    Decision.OfRun refusal = new Decision.OfRun(ANNA, "ann", false);
    LeaseName free = new LeaseName("free");

    for (LeaseName name : List.of(PROD, free)) {
      assertThat(locks.renew(ACTOR, name, Owner.ofAnyActor(ANNA), FencingToken.NONE))
          .isEqualTo(new RenewOutcome.Refused(refusal));
      assertThat(locks.release(ACTOR, name, Owner.ofAnyActor(ANNA), FencingToken.NONE, Locks.Result.SUCCESS, null))
          .isEqualTo(new ReleaseOutcome.Refused(refusal));
    }
    assertThat(locks.release(ACTOR, PROD, held.owner(), held.token(), Locks.Result.SUCCESS, null))
        .isInstanceOf(ReleaseOutcome.Released.class);
  }

  @Test
  @DisplayName("A holder whose id a run has taken meanwhile keeps, renews and releases its own lock")
  void aRunTakesTheId() {
    Lease held = files.granted(TestRequest.by(ANNA.value(), "prod"));
    Locks locks = beside(new Locks.KnownRuns.KnownRun(TestRequest.HOLDER.actor(), true));

    assertThat(locks.acquire(anna())).isInstanceOf(AcquireOutcome.Kept.class);
    assertThat(locks.acquire(TestRequest.by(ANNA.value(), "other").request()))
        .isInstanceOfSatisfying(AcquireOutcome.Refused.class,
            refused -> assertThat(refused.refusal()).isInstanceOf(Decision.OfRun.class));
    assertThat(locks.renew(ACTOR, PROD, held.owner(), held.token())).isInstanceOf(RenewOutcome.Renewed.class);
    assertThat(locks.release(ACTOR, PROD, held.owner(), held.token(), Locks.Result.SUCCESS, null))
        .isInstanceOf(ReleaseOutcome.Released.class);
  }

  @ParameterizedTest(name = "alive: {0}, abandoned: {1}")
  @CsvSource({"true, false", "true, true", "false, false", "false, true"})
  @DisplayName("Decision 17 the lock of a live run is removed by force only if the run is abandoned, which is audited")
  void forceReleasesOfARun(boolean isAlive, boolean abandons) {
    List<RequestId> abandoned = new ArrayList<>();
    Locks locks = beside(new Locks.KnownRuns.KnownRun("ann", isAlive), abandoned);
    Lease held = files.granted(TestRequest.byRun(ANNA, PROD));

    ForceReleaseOutcome outcome = locks.forceRelease(ACTOR, PROD, new ForcedRelease(BERT, "it hangs", abandons));

    if (isAlive && !abandons) {
      assertThat(outcome).isEqualTo(new ForceReleaseOutcome.Spared(held));
      assertThat(files.lock("prod")).exists();
      assertThat(files.audit().events()).isEmpty();
      return;
    }
    assertThat(outcome).isInstanceOf(ForceReleaseOutcome.Removed.class);
    assertThat(files.lock("prod")).doesNotExist();
    assertThat(abandoned).isEqualTo(abandons ? List.of(ANNA) : List.of());
    assertThat(files.audit().events()).singleElement().isInstanceOfSatisfying(AuditEvent.LockForceReleased.class,
        event -> assertThat(event.isAbandoned()).isEqualTo(isAlive && abandons));
  }
}
