package fleet.tower.home;

import static fleet.tower.lease.Actors.ACTOR;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.LocalDate;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.audit.jsonl.AuditFiles;
import fleet.tower.harness.Await;
import fleet.tower.harness.ProofsProfile;
import fleet.tower.intent.Intent;
import fleet.tower.lease.Actor;
import fleet.tower.lease.Door;
import fleet.tower.lease.FencingToken;
import fleet.tower.lease.Holder;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.Owner;
import fleet.tower.lease.RequestId;
import fleet.tower.lease.Ttl;
import fleet.tower.lock.AcquireOutcome;
import fleet.tower.lock.AcquireRequest;
import fleet.tower.lock.LockStore;
import fleet.tower.lock.Locks;
import fleet.tower.lock.TestLocks;
import fleet.tower.lock.TestRequest;
import fleet.tower.lock.file.FileLocks;
import fleet.tower.platform.time.ManualTime;
import fleet.tower.run.Run;
import fleet.tower.run.RunStatus;
import fleet.tower.run.RunStore;
import fleet.tower.run.process.StepProcesses;
import fleet.tower.run.sql.SqlRuns;

/** On real files and a real database; only the clock is moved by hand. */
@DisplayName("Retention: old data is removed, unfinished work stays")
class RetentionTest {
  private static final Retention.Limits LIMITS = new Retention.Limits(Duration.ofDays(90), 5000, Duration.ofDays(400),
      Duration.ZERO);

  private final ManualTime time = new ManualTime("2026-01-01T12:00:00Z");
  private final Path home;
  private final RunStore runs;
  private final LockStore lockStore;
  private final Locks locks;
  private final AuditFiles audit;

  RetentionTest(@TempDir Path home) {
    this.home = home;
    runs = new SqlRuns("jdbc:sqlite:" + home.resolve("tower.db")).open();
    audit = new AuditFiles(home.resolve("audit"), time, _ -> {});
    lockStore = new FileLocks(home.resolve("locks"), true, time, time, audit.log(), _ -> {}).open();
    locks = TestLocks.of(lockStore, audit.log(), time);
  }

  @AfterEach
  void close() {
    runs.close();
    lockStore.close();
  }

  private Retention retention(Retention.Limits limits) {
    return new Retention(runs, StepProcesses.outputs(home.resolve("runs")), audit.days(), locks, time, time, limits);
  }

  private Retention.Removal sweep() {
    Retention.Removal announced = retention(LIMITS).preview();
    Retention.Removal removed = retention(LIMITS).expire(Duration.ZERO);
    assertThat(removed).isEqualTo(announced);
    assertThat(retention(LIMITS).preview().isNothing()).isTrue();
    return removed;
  }

  private Run begin(String id) {
    Run run = new Run(Run.Header.of(new RequestId(id), new Run.Subject("deploy", "1.0.0", Intent.Mode.MUTATE),
        new Run.Origin(new Actor("alice", Door.RUN), "{}", null), time.now()),
        RunStatus.RUNNING, null,
        new Run.Progress(List.of(), List.of(), null, null), List.of(), null, null, null, null);
    assertThat(runs.begin(new RunStore.RequestKey(run.requestId(), "alice", null, "digest"), run, "executor"))
        .isEqualTo(new RunStore.New());
    print(id);
    return run;
  }

  private void finish(Run run) {
    runs.save(run.finished(RunStatus.SUCCEEDED, time.now()), true);
  }

  private void print(String id) {
    try {
      Path directory = Files.createDirectories(home.resolve("runs").resolve(id));
      Files.writeString(directory.resolve("work.log"), "out");
      for (Path path : List.of(directory.resolve("work.log"), directory)) {
        Files.setLastModifiedTime(path, FileTime.from(time.now()));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void lock(String name) {
    locks.acquire(request(name));
  }

  private static AcquireRequest request(String name) {
    return TestRequest.of(new LeaseName(name), new RequestId("req-" + name),
        new Holder("alice", "manual", "none", "tower-01", 1, false), new Ttl(60), false);
  }

  private void unlock(String name) {
    locks.release(ACTOR, new LeaseName(name), Owner.ofAnyActor(new RequestId("req-" + name)), FencingToken.NONE,
        Locks.Result.SUCCESS, null);
  }

  private List<String> names(String directory) {
    @Nullable
    String @Nullable [] found = home.resolve(directory).toFile().list();
    return found == null ? List.of() : Stream.of(found).filter(Objects::nonNull).sorted().toList();
  }

  @Test
  @DisplayName("A run is removed with its output after its retention time, not a day earlier; an unfinished run stays")
  void ofRuns() {
    Run old = begin("old");
    Run endless = begin("endless");
    finish(old);
    time.advance(Duration.ofDays(60));
    Run young = begin("young");
    finish(young);
    time.advance(Duration.ofDays(29));
    assertThat(sweep().isNothing()).isTrue();

    time.advance(Duration.ofDays(2));
    assertThat(sweep()).isEqualTo(new Retention.Removal(1, 0, 0, List.of(), null));
    assertThat(runs.find(old.requestId())).isEmpty();
    assertThat(names("runs")).containsExactly("endless", "young");

    time.advance(Duration.ofDays(1000));
    sweep();
    assertThat(runs.find(endless.requestId())).isPresent();
    assertThat(runs.find(young.requestId())).isEmpty();
    assertThat(names("runs")).containsExactly("endless");
    assertThat(runs.look(new RunStore.RequestKey(old.requestId(), "alice", null, "digest")))
        .isEqualTo(new RunStore.New());
  }

  @Test
  @DisplayName("A thousand old runs are removed in one sweep")
  @ProofsProfile
  void ofManyRuns() {
    for (int i = 0; i < 1100; i++) {
      finish(begin("r" + i));
    }
    time.advance(Duration.ofDays(91));

    assertThat(sweep()).isEqualTo(new Retention.Removal(1100, 0, 0, List.of(), null));
    assertThat(names("runs")).isEmpty();
  }

  @Test
  @DisplayName("Output without a run record is removed when unchanged for long enough; links out of it are not "
      + "followed")
  void ofStrays() throws IOException {
    print("stray");
    Path elsewhere = Files.createDirectory(home.resolve("elsewhere"));
    Files.writeString(elsewhere.resolve("kept"), "");
    Files.createSymbolicLink(home.resolve("runs/stray/link"), elsewhere);
    Files.createSymbolicLink(home.resolve("runs/linked"), elsewhere);
    Files.writeString(home.resolve("runs/a file"), "");
    time.advance(Duration.ofDays(365L * 200));

    assertThat(sweep()).isEqualTo(new Retention.Removal(0, 1, 0, List.of(), null));
    assertThat(names("runs")).containsExactly("a file", "linked");
    assertThat(names("elsewhere")).containsExactly("kept");
  }

  @Test
  @DisplayName("A day of the audit log is removed after its retention time")
  void ofAudit() {
    lock("a");
    time.advance(Duration.ofDays(1));
    unlock("a");
    time.advance(Duration.ofDays(400));
    assertThat(sweep()).isEqualTo(new Retention.Removal(0, 0, 0, List.of(LocalDate.parse("2026-01-01")), null));
    assertThat(names("audit")).containsExactly("audit-2026-01-02.jsonl");

    time.advance(Duration.ofDays(1));
    assertThat(sweep().auditDays()).containsExactly(LocalDate.parse("2026-01-02"));
    assertThat(names("audit")).isEmpty();
  }

  @Test
  @DisplayName("The trail of an unreleased lock is kept from the day of its acquisition, even if it is long stale")
  void ofUnreleasedLock() {
    lock("before");
    unlock("before");
    time.advance(Duration.ofDays(1));
    lock("held");
    time.advance(Duration.ofDays(1));
    lock("after");
    unlock("after");
    time.advance(Duration.ofDays(500));

    assertThat(sweep()).isEqualTo(new Retention.Removal(0, 0, 0, List.of(LocalDate.parse("2026-01-01")),
        "lock held has not been released since 2026-01-02"));
    assertThat(names("audit")).containsExactly("audit-2026-01-02.jsonl", "audit-2026-01-03.jsonl");

    unlock("held");
    assertThat(sweep().auditDays()).hasSize(2);
  }

  @Test
  @DisplayName("The trail of an unfinished run is kept")
  void ofUnfinishedRun() {
    lock("a");
    unlock("a");
    Run run = begin("endless");
    time.advance(Duration.ofDays(500));

    assertThat(sweep()).isEqualTo(
        new Retention.Removal(0, 0, 0, List.of(), "run endless has not finished since 2026-01-01"));
    finish(run);
    assertThat(sweep().auditDays()).hasSize(1);
  }

  @Test
  @DisplayName("While a lock is unreadable the whole log is kept, because the lock's start is unknown")
  void ofCorruptLock() throws IOException {
    lock("a");
    unlock("a");
    Files.writeString(home.resolve("locks/torn.lock"), "{\"lock_ver");
    time.advance(Duration.ofDays(500));

    assertThat(sweep()).isEqualTo(new Retention.Removal(0, 0, 0, List.of(), "lock torn cannot be read"));
    assertThat(names("audit")).hasSize(1);
  }

  @Test
  @DisplayName("The files of a lock name are removed after its retention time, not a day earlier, and in a service")
  void ofLockNames() throws Exception {
    Retention.Limits limits = new Retention.Limits(Duration.ZERO, 0, Duration.ZERO, Duration.ofDays(30));
    for (String name : List.of("old", "held", "young")) {
      lock(name);
    }
    unlock("old");
    used("old");
    time.advance(Duration.ofDays(1));
    unlock("young");
    used("young");
    used("held");
    time.advance(Duration.ofDays(29).minusSeconds(1));
    assertThat(retention(limits).expire(Duration.ZERO).isNothing()).isTrue();

    time.advance(Duration.ofSeconds(1));
    assertThat(retention(limits).preview()).isEqualTo(new Retention.Removal(0, 0, 1, List.of(), null));
    assertThat(retention(limits).expire(Duration.ZERO)).isEqualTo(new Retention.Removal(0, 0, 1, List.of(), null));
    assertThat(counters()).containsExactly(".held.fence", ".young.fence");
    assertThat(retention(limits).preview().isNothing()).isTrue();

    time.advance(Duration.ofDays(100));
    assertThat(retention(new Retention.Limits(Duration.ZERO, 0, Duration.ZERO, Duration.ZERO)).preview().isNothing())
        .isTrue();
    RetentionSchedule sweeper = new RetentionSchedule(retention(limits), time, warning -> {
      throw new AssertionError(warning);
    });
    sweeper.start();
    advance(5);
    sweeper.stop();
    assertThat(counters()).containsExactly(".held.fence");
    assertThat(lockStore.acquire(request("old"))).isInstanceOfSatisfying(AcquireOutcome.Granted.class,
        granted -> assertThat(granted.lease().lease().token()).isEqualTo(new FencingToken(2)));
  }

  private void used(String name) throws IOException {
    for (String file : List.of(".fence", ".beat")) {
      Files.setLastModifiedTime(home.resolve("locks/." + name + file), FileTime.from(time.now()));
    }
  }

  private List<String> counters() {
    return names("locks").stream().filter(file -> file.endsWith(".fence")).toList();
  }

  @Test
  @DisplayName("An age of 0 keeps everything")
  void keepsAll() {
    finish(begin("old"));
    lock("a");
    unlock("a");
    time.advance(Duration.ofDays(5000));

    Retention retention = retention(new Retention.Limits(Duration.ZERO, 0, Duration.ZERO, Duration.ZERO));
    assertThat(retention.preview()).isEqualTo(new Retention.Removal(0, 0, 0, List.of(), null));
    assertThat(retention.expire(Duration.ZERO)).isEqualTo(new Retention.Removal(0, 0, 0, List.of(), null));
    assertThat(names("runs")).hasSize(1);
    assertThat(names("audit")).hasSize(1);
  }

  @Test
  @DisplayName("Files that are not days are not touched")
  void otherFiles() throws IOException {
    Files.createDirectories(home.resolve("audit"));
    for (String name : List.of("audit-2020-13-45.jsonl", "audit-2020-01-01.jsonl.gz", "notes")) {
      Files.writeString(home.resolve("audit").resolve(name), "");
    }
    Files.writeString(home.resolve("audit/audit-2020-01-01.jsonl"), "");

    assertThat(sweep().auditDays()).containsExactly(LocalDate.parse("2020-01-01"));
    assertThat(names("audit")).hasSize(3);
  }

  @Test
  @DisplayName("The service sweeps five minutes after its start and every hour, reports failures, and stops")
  void sweeper() throws Exception {
    finish(begin("old"));
    time.advance(Duration.ofDays(91));
    List<String> warnings = new java.util.concurrent.CopyOnWriteArrayList<>();
    RetentionSchedule sweeper = new RetentionSchedule(retention(LIMITS), time, warnings::add);
    sweeper.start();
    advance(4);
    assertThat(names("runs")).hasSize(1);

    advance(1);
    assertThat(names("runs")).isEmpty();

    Files.delete(home.resolve("runs"));
    Files.writeString(home.resolve("runs"), "in the way");
    advance(59);
    assertThat(warnings).isEmpty();
    advance(1);
    assertThat(warnings).singleElement().asString().startsWith("retention sweep failed: ");

    sweeper.stop();
    assertThat(time.pendingDelays()).isEmpty();
  }

  private void advance(int minutes) {
    for (int minute = 0; minute < minutes; minute++) {
      time.advance(Duration.ofMinutes(1));
      Await.until("the next minute", () -> time.pendingDelays().equals(List.of(RetentionSchedule.CHECK)));
    }
  }

  @Test
  @DisplayName("The newest runs are kept up to a number, each minute; unfinished ones count and are never removed")
  @ProofsProfile
  void mostRuns() {
    begin("endless");
    for (int i = 0; i < 1200; i++) {
      finish(begin("r" + i));
      time.advance(Duration.ofMillis(1));
    }
    Retention retention = retention(
        new Retention.Limits(Duration.ofDays(90), 100, Duration.ofDays(400), Duration.ZERO));
    assertThat(retention.preview()).isEqualTo(new Retention.Removal(1100, 0, 0, List.of(), null));
    RetentionSchedule sweeper = new RetentionSchedule(retention, time, warning -> {
      throw new AssertionError(warning);
    });
    sweeper.start();

    advance(1);

    assertThat(names("runs")).hasSize(101).contains("endless", "r1100", "r1199").doesNotContain("r1099");
    assertThat(retention.preview().isNothing()).isTrue();
    assertThat(runs.find(new RequestId("endless"))).isPresent();
    assertThat(runs.find(new RequestId("r1099"))).isEmpty();
    sweeper.stop();
  }
}
