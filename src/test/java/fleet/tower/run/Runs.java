package fleet.tower.run;

import java.time.Instant;
import java.util.List;

import org.jspecify.annotations.Nullable;

import fleet.tower.foreign.ForeignLock;
import fleet.tower.foreign.ForeignLockState;
import fleet.tower.foreign.ForeignName;
import fleet.tower.intent.Controls;
import fleet.tower.intent.Intent;
import fleet.tower.lease.Actor;
import fleet.tower.lease.Door;
import fleet.tower.lease.FencingToken;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.RequestId;
import fleet.tower.lease.Ttl;

/** Runs for tests. */
public final class Runs {
  public static final Instant NOON = Instant.parse("2026-11-20T12:00:00.123Z");

  /** A refusal with a text that is difficult for databases. */
  public static final RunRefusal TIMED_OUT = new RunRefusal.TimedOut(
      new RunRefusal.Blocked(new LeaseName("app-prod"), new RunRefusal.LockHolder("r0",
          "bob \0 \ud800 " + "x".repeat(70_000), "", Instant.parse("2026-11-20T11:00:00Z"),
          Instant.parse("2026-11-20T11:59:00Z"), "tower-02", 7, false)));

  private Runs() {}

  /** A request by anna, without a key. */
  public static RunStore.RequestKey claim(String id) {
    return claim(id, null);
  }

  public static RunStore.RequestKey claim(String id, @Nullable String key) {
    return new RunStore.RequestKey(new RequestId(id), "anna", key, "sha256:1");
  }

  /** A run that anna has just requested. */
  public static Run waiting(String id) {
    return waiting(id, "anna", NOON);
  }

  public static Run waiting(String id, String actor, Instant createdAt) {
    return waiting(id, "deploy-app", actor, createdAt);
  }

  static Run waiting(String id, String intent, String actor, Instant createdAt) {
    Run.Header header = Run.Header.of(new RequestId(id), new Run.Subject(intent, "1.2.0", Intent.Mode.MUTATE),
        new Run.Origin(new Actor(actor, Door.RUN), "{}", null), createdAt);
    return new Run(header, RunStatus.WAITING, null, new Run.Progress(
        List.of(StepRecord.pending("build", StepRecord.Kind.STEP), StepRecord.pending("ship", StepRecord.Kind.STEP)),
        List.of(), null, null), List.of(), null, null, null, null);
  }

  /** The run with its first step running. */
  static Run running(Run run) {
    return with(run, RunStatus.RUNNING, null, new Run.Progress(
        List.of(
            new StepRecord("build", StepRecord.Kind.STEP, StepRecord.Status.RUNNING, null, NOON.plusMillis(5), 0, null,
                null),
            StepRecord.pending("ship", StepRecord.Kind.STEP)),
        List.of(), null, null), null);
  }

  /** The run after its success. */
  public static Run succeeded(Run run) {
    return with(run, RunStatus.SUCCEEDED, null, new Run.Progress(
        List.of(step("build", StepRecord.Status.SUCCEEDED), step("ship", StepRecord.Status.SUCCEEDED)), List.of(), null,
        null), NOON.plusMillis(9999));
  }

  /** The run, refused after it had waited. */
  static Run refused(Run run) {
    return with(run, RunStatus.REFUSED, TIMED_OUT, run.progress(), NOON.plusMillis(777));
  }

  public static StepRecord step(String name, StepRecord.Status status) {
    return new StepRecord(name, StepRecord.Kind.STEP, status, 0, NOON.plusMillis(5), 1234, null, null);
  }

  public static Run with(Run run, RunStatus status, @Nullable RunRefusal refusal, Run.Progress progress,
      @Nullable Instant finishedAt) {
    return new Run(run.header(), status, run.lock(), progress, run.warnings(), refusal, finishedAt, null, null);
  }

  /** A run with every member set, in texts that are difficult for databases. */
  public static Run full(String id) {
    String odd = "NUL \0, half a pair \ud800, a whole one \ud83d\ude80, 'quote\" \\u0000 \\ \n \u2028 ÄÖ";
    Run.Header header = Run.Header.of(new RequestId(id), new Run.Subject("deploy-app", odd, Intent.Mode.RECONCILE),
        new Run.Origin(new Actor(odd, odd, Door.CONSOLE), "{\"a\":[1,\"\\u0000\"]}", null, new RequestId("r0")), NOON)
        .withParams(new Run.Params("{\"a\":\"\\u0000\",\"b\":[1.50]}", List.of("key", odd)))
        .withDeclaration(new Run.Declaration("0123abcd", List.of("gpu", odd)));
    Run.LockNote lock = new Run.LockNote(new LeaseName("app-prod"), "/home/ü ?/app-prod.lock", new Ttl(1800),
        new FencingToken(999_999_999_999_999_999L), Controls.Heartbeat.PROGRESS, true, 0, false);
    List<StepRecord> steps = List.of(step("build", StepRecord.Status.SUCCEEDED).withOutputSize(Long.MAX_VALUE),
        new StepRecord("ship", StepRecord.Kind.STEP, StepRecord.Status.FAILED, 143, NOON.plusMillis(2000),
            Long.MAX_VALUE, odd, null)
            .tried(new StepRecord.Try(StepRecord.Status.TIMED_OUT, null, Long.MAX_VALUE, null))
            .tried(new StepRecord.Try(StepRecord.Status.FAILED, 143, 0, odd)),
        new StepRecord("tell", StepRecord.Kind.STEP, StepRecord.Status.SKIPPED, null, null, 0, null, null));
    List<StepRecord> rollback = List.of(
        new StepRecord("build", StepRecord.Kind.STEP_ROLLBACK, StepRecord.Status.TIMED_OUT, -1, NOON, 1, "", null),
        new StepRecord("notify", StepRecord.Kind.RUN_ROLLBACK, StepRecord.Status.LOCK_LOST, 0, NOON, 1, null, null));
    return new Run(header, RunStatus.LOCK_LOST, lock, new Run.Progress(steps, rollback, "ship", "lock lost"),
        List.of(odd, "", "second"), TIMED_OUT, NOON.plusMillis(60_001), null, null)
        .waitingFor(new Run.ForeignWait(new ForeignLock.Refusal(ForeignName.parse("flock:/run/" + id + ".lock"),
            new ForeignLockState.Doubtful(odd, odd)), NOON.plusMillis(7)));
  }
}
