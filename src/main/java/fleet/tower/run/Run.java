package fleet.tower.run;

import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import fleet.tower.approval.Approval;
import fleet.tower.foreign.ForeignLock;
import fleet.tower.intent.Controls;
import fleet.tower.intent.Intent;
import fleet.tower.intent.Values;
import fleet.tower.lease.Actor;
import fleet.tower.lease.FencingToken;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.RequestId;
import fleet.tower.lease.Ttl;
import fleet.tower.lock.Halt;
import fleet.tower.platform.json.JsonReader;

/**
 * One execution of one intent at one moment. It never contains a secret.
 *
 * @param lock the lock that it holds or held; null before it has one, and for an intent without a lock
 * @param refusal why the run was refused before its first step; null for every other run
 * @param hostId the host of its executor; null while no executor has it
 * @param foreignWait its wait for another tool's lock; null if it does not wait for one
 * @param approval its approval; null if it needs none
 * @param probed what the probe of its intent saw
 */
public record Run(Header header, RunStatus status, @Nullable LockNote lock, Progress progress, List<String> warnings,
    @Nullable RunRefusal refusal, @Nullable Instant finishedAt, @Nullable String hostId,
    @Nullable ForeignWait foreignWait, @Nullable Approval approval, Probed probed) {
  public Run {
    warnings = List.copyOf(warnings);
  }

  /** A run that needs no approval, and has no probe. */
  public Run(Header header, RunStatus status, @Nullable LockNote lock, Progress progress, List<String> warnings,
      @Nullable RunRefusal refusal, @Nullable Instant finishedAt, @Nullable String hostId,
      @Nullable ForeignWait foreignWait) {
    this(header, status, lock, progress, warnings, refusal, finishedAt, hostId, foreignWait, null, Probed.NOTHING);
  }

  /**
   * The part of a run that never changes.
   *
   * @param order the request as JSON, for a run that waits in the queue until an executor takes it; null for every
   *     other run
   * @param lockName the lock that the run takes; null for none
   * @param params its parameter values; null until they are checked
   * @param declaration what it was checked against; null until then
   */
  public record Header(RequestId requestId, Subject subject, Origin origin, Instant createdAt,
      @Nullable String order, @Nullable LeaseName lockName, @Nullable Params params,
      @Nullable Declaration declaration) {

    /** The header of a run that takes no lock and does not go through the queue. */
    public static Header of(RequestId requestId, Subject subject, Origin origin, Instant createdAt) {
      return new Header(requestId, subject, origin, createdAt, null, null, null, null);
    }

    public Header queuedAs(String request) {
      return new Header(requestId, subject, origin, createdAt, request, lockName, params, declaration);
    }

    public Header withLock(@Nullable LeaseName lock) {
      return new Header(requestId, subject, origin, createdAt, order, lock, params, declaration);
    }

    public Header withParams(Params values) {
      return new Header(requestId, subject, origin, createdAt, order, lockName, values, declaration);
    }

    public Header withDeclaration(Declaration checked) {
      return new Header(requestId, subject, origin, createdAt, order, lockName, params, checked);
    }

    public String intent() {
      return subject.intent();
    }

    public Actor actor() {
      return origin.actor();
    }

    /** What the run does, as halts and rules see it. */
    public Halt.Subject doing() {
      return Halt.Subject.of(actor(), intent(), lockName);
    }
  }

  /** Whether it was requested for the queue, where any executor may take it. */
  public boolean isQueued() {
    return header.order() != null;
  }

  /**
   * What a run was checked against.
   *
   * @param digest of the intent, as {@link fleet.tower.intent.Intent#digest} has it
   * @param runsOn the labels that a host must have to execute the run; empty for any host
   * @param plan the document of the plan that its request names; null if it names none
   */
  public record Declaration(String digest, List<String> runsOn, @Nullable String plan) {
    public Declaration {
      runsOn = List.copyOf(runsOn);
    }

    /** What a run was checked against whose request names no plan. */
    public Declaration(String digest, List<String> runsOn) {
      this(digest, runsOn, null);
    }
  }

  /** The other tool's lock that a run waits for, and when its wait began. */
  public record ForeignWait(ForeignLock.Refusal refusal, Instant since) {}

  /** The intent of a run, and its version. */
  public record Subject(String intent, String version, Intent.Mode mode) {}

  /**
   * The caller of a run.
   *
   * @param metadata a JSON object for the caller's own use
   * @param trace the caller's span; null if it sent none. It is not part of a request's identity
   * @param again the earlier run that it repeats; null if it repeats none
   */
  public record Origin(Actor actor, String metadata, @Nullable TraceContext trace, @Nullable RequestId again) {

    /** The caller of a run that repeats no other. */
    public Origin(Actor actor, String metadata, @Nullable TraceContext trace) {
      this(actor, metadata, trace, null);
    }
  }

  /**
   * The lock of a run, for people to read.
   *
   * @param heartbeat the evidence that a renewal of the lock requires
   * @param heartbeatFailures the number of heartbeats that have failed so far
   * @param lost whether it was removed or taken before the run ended, so that the run was not alone at its end
   */
  public record LockNote(LeaseName name, String path, Ttl ttl, FencingToken token, Controls.Heartbeat heartbeat,
      boolean stolen, long heartbeatFailures, boolean lost) {

    private LockNote withHeartbeatFailure() {
      return new LockNote(name, path, ttl, token, heartbeat, stolen, heartbeatFailures + 1, lost);
    }

    private LockNote asLost() {
      return new LockNote(name, path, ttl, token, heartbeat, stolen, heartbeatFailures, true);
    }
  }

  /**
   * The steps of a run and their state.
   *
   * @param failureStep the step at which the run failed; null if it did not
   * @param rollbackSkipped why rollback was skipped although steps had begun; null otherwise
   */
  public record Progress(List<StepRecord> steps, List<StepRecord> rollback, @Nullable String failureStep,
      @Nullable String rollbackSkipped) {
    public Progress {
      steps = List.copyOf(steps);
      rollback = List.copyOf(rollback);
    }

    /** Progress before the first step. */
    public static Progress of(List<StepRecord> steps) {
      return new Progress(steps, List.of(), null, null);
    }

    public Progress failedAt(String step) {
      return new Progress(steps, rollback, step, rollbackSkipped);
    }

    /** The progress with each step and rollback step changed. */
    public Progress withEach(UnaryOperator<StepRecord> change) {
      return new Progress(steps.stream().map(change).toList(), rollback.stream().map(change).toList(), failureStep,
          rollbackSkipped);
    }

    public Progress withRollback(List<StepRecord> pieces) {
      return new Progress(steps, pieces, failureStep, rollbackSkipped);
    }

    public Progress withRollbackSkipped(@Nullable String why) {
      return new Progress(steps, rollback, failureStep, why);
    }
  }

  public RequestId requestId() {
    return header.requestId();
  }

  /** The name of its intent. */
  public String intent() {
    return header.intent();
  }

  /** The caller that requested it. */
  public Actor actor() {
    return header.actor();
  }

  /** The steps that have begun, in the order in which they began: first the steps, then the rollback. */
  public List<StepRecord> begun() {
    return Stream.concat(progress.steps().stream(), progress.rollback().stream())
        .filter(StepRecord::hasBegun).toList();
  }

  /**
   * Whether no step of it can have begun: a run leaves its wait durably before its first step. A run that is executed
   * at once never waits.
   */
  public boolean isUnstarted() {
    return (status == RunStatus.WAITING || status == RunStatus.AWAITING_APPROVAL) && begun().isEmpty();
  }

  /** Whether a person has rejected it, which is the answer to its request for good. */
  public boolean isRejected() {
    return refusal instanceof RunRefusal.ApprovalRejected;
  }

  /** The run as it was before any executor took it. */
  public Run untouched() {
    return new Run(header, RunStatus.WAITING, null, progress, warnings, null, null, null, null, approval,
        Probed.NOTHING);
  }

  /** The run in another state; a wait is over if that state is not {@link RunStatus#WAITING}. */
  public Run withStatus(RunStatus next) {
    return new Run(header, next, lock, progress, warnings, refusal, finishedAt, hostId,
        next == RunStatus.WAITING ? foreignWait : null, approval, probed);
  }

  /** The run with its approval, or with what became of that. */
  public Run withApproval(Approval next) {
    return new Run(header, status, lock, progress, warnings, refusal, finishedAt, hostId, foreignWait, next, probed);
  }

  /** The run with what its probe saw. */
  public Run withProbed(UnaryOperator<Probed> change) {
    return new Run(header, status, lock, progress, warnings, refusal, finishedAt, hostId, foreignWait, approval,
        change.apply(probed));
  }

  /** The run while it waits for another tool's lock. */
  public Run waitingFor(ForeignWait wait) {
    return new Run(header, status, lock, progress, warnings, refusal, finishedAt, hostId, wait, approval, probed);
  }

  public Run withLock(LockNote note) {
    return new Run(header, status, note, progress, warnings, refusal, finishedAt, hostId, foreignWait,
        approval, probed);
  }

  /** The run after one more failed heartbeat of its lock. */
  public Run withHeartbeatFailure() {
    return lock == null ? this : withLock(lock.withHeartbeatFailure());
  }

  /** The run after its lock was removed or taken. */
  public Run withLockLost() {
    return lock == null ? this : withLock(lock.asLost());
  }

  public Run withProgress(UnaryOperator<Progress> change) {
    return new Run(header, status, lock, change.apply(progress), warnings, refusal, finishedAt, hostId, foreignWait,
        approval, probed);
  }

  public Run withWarning(String warning) {
    return new Run(header, status, lock, progress, Stream.concat(warnings.stream(), Stream.of(warning)).toList(),
        refusal, finishedAt, hostId, foreignWait,
        approval, probed);
  }

  /** The run as its executor on a host has it. */
  public Run onHost(String host) {
    return new Run(header, status, lock, progress, warnings, refusal, finishedAt, host, foreignWait, approval, probed);
  }

  /** The run after it was refused before its first step. */
  public Run refused(RunRefusal why, Instant at) {
    return new Run(header, RunStatus.REFUSED, lock, progress, warnings, why, at, hostId, null, approval, probed);
  }

  public Run finished(RunStatus end, Instant at) {
    return new Run(header, end, lock, progress, warnings, refusal, at, hostId, null, approval, probed);
  }

  /**
   * The parameter values of a run, without secrets, for the record.
   *
   * @param values a JSON object, as the body of the same request has it; defaults are included
   * @param secrets the names of the given parameters whose values are not recorded: they are secret, or contain a secret
   */
  public record Params(String values, List<String> secrets) {
    public Params {
      secrets = List.copyOf(secrets);
    }

    /** The values, as a request gives them. */
    public Map<String, Values.Given> given() {
      Map<String, Values.Given> given = new LinkedHashMap<>();
      JsonReader.readOwn(values).members().forEach((name, value) -> given.put(name, Values.Given.of(value)));
      return given;
    }
  }
}
