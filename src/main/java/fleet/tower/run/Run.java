package fleet.tower.run;

import static java.util.Objects.requireNonNull;

import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import fleet.tower.intent.Controls;
import fleet.tower.intent.Mode;
import fleet.tower.lease.Actor;
import fleet.tower.lease.FencingToken;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.RequestId;
import fleet.tower.lease.Ttl;

/**
 * One execution of one intent, as it stands at one moment. No secret is ever in it.
 *
 * @param lock the lock it runs under; null before it has one, and for ever when it needs none
 * @param refusal why the run was refused before its first step; null for every other run
 */
public record Run(Header header, RunStatus status, @Nullable LockNote lock, Progress progress, List<String> warnings,
    @Nullable RunRefusal refusal, @Nullable Instant finishedAt) {
  public Run {
    requireNonNull(header);
    requireNonNull(status);
    requireNonNull(progress);
    warnings = List.copyOf(warnings);
  }

  /**
   * What does not change about a run.
   *
   * @param order what was asked for, as JSON, where the run stands in a queue until an executor takes it; null where who asked
   *     for it executes it
   */
  public record Header(RequestId requestId, Subject subject, Origin origin, Instant createdAt,
      @Nullable String order) {

    /** The header of a run that is executed by who asks for it. */
    public Header(RequestId requestId, Subject subject, Origin origin, Instant createdAt) {
      this(requestId, subject, origin, createdAt, null);
    }

    public Header {
      requireNonNull(requestId);
      requireNonNull(subject);
      requireNonNull(origin);
      requireNonNull(createdAt);
    }
  }

  /** Whether any executor may take it, rather than one that it was given to. */
  public boolean isQueued() {
    return header.order() != null;
  }

  /** Which edition of which intent is run. */
  public record Subject(String intent, String version, Mode mode) {
    public Subject {
      requireNonNull(intent);
      requireNonNull(version);
      requireNonNull(mode);
    }
  }

  /**
   * Who asked.
   *
   * @param metadata a JSON object of the caller's own
   * @param trace what the run is a part of, where the caller said so; it does not make a request another one
   */
  public record Origin(Actor actor, String metadata, @Nullable TraceContext trace) {

    /** Who asked, and is part of no trace. */
    public Origin(Actor actor, String metadata) {
      this(actor, metadata, null);
    }

    public Origin {
      requireNonNull(actor);
      requireNonNull(metadata);
    }
  }

  /**
   * The lock of a run, for people to read.
   *
   * @param heartbeat what the run has to prove for its lock to be renewed
   * @param heartbeatFailures how many heartbeats of the lock have failed so far
   */
  public record LockNote(LeaseName name, String path, Ttl ttl, FencingToken token, Controls.Heartbeat heartbeat,
      boolean stolen, long heartbeatFailures) {

    /** A lock whose heartbeats have all succeeded. */
    public LockNote(LeaseName name, String path, Ttl ttl, FencingToken token, Controls.Heartbeat heartbeat,
        boolean stolen) {
      this(name, path, ttl, token, heartbeat, stolen, 0);
    }

    public LockNote {
      requireNonNull(name);
      requireNonNull(path);
      requireNonNull(ttl);
      requireNonNull(token);
      requireNonNull(heartbeat);
    }
  }

  /**
   * How far it has come.
   *
   * @param failureStep the step that ended it; null where none did
   * @param rollbackSkipped why nothing was undone although something had been done; null otherwise
   */
  public record Progress(List<StepRecord> steps, List<StepRecord> rollback, @Nullable String failureStep,
      @Nullable String rollbackSkipped) {
    public Progress {
      steps = List.copyOf(steps);
      rollback = List.copyOf(rollback);
    }
  }

  public RequestId requestId() {
    return header.requestId();
  }

  /** Every step that has begun, in the order of beginning, what undoes behind what does. */
  public List<StepRecord> begun() {
    return Stream.concat(progress.steps().stream(), progress.rollback().stream())
        .filter(StepRecord::hasBegun).toList();
  }

  /** The same run, as if nobody had touched it yet. */
  public Run untouched() {
    return new Run(header, RunStatus.WAITING, null, progress, warnings, null, null);
  }

  /** The same run, standing elsewhere. */
  public Run at(RunStatus next) {
    return new Run(header, next, lock, progress, warnings, refusal, finishedAt);
  }

  /** The same run, under a lock. */
  public Run under(LockNote note) {
    return new Run(header, status, note, progress, warnings, refusal, finishedAt);
  }

  /** The same run, after one more heartbeat of its lock has failed. */
  public Run heartbeatFailed() {
    return lock == null
        ? this
        : under(new LockNote(lock.name(), lock.path(), lock.ttl(), lock.token(), lock.heartbeat(), lock.stolen(),
            lock.heartbeatFailures() + 1));
  }

  /** The same run, further on. */
  public Run with(Progress next) {
    return new Run(header, status, lock, next, warnings, refusal, finishedAt);
  }

  /** The same run, with one more thing that people should know. */
  public Run warned(String warning) {
    return new Run(header, status, lock, progress,
        Stream.concat(warnings.stream(), Stream.of(warning)).toList(), refusal,
        finishedAt);
  }

  /** The same run, refused its lock. */
  public Run refused(RunRefusal why, Instant at) {
    return new Run(header, RunStatus.FAILED, lock, progress, warnings, why, at);
  }

  /** The same run, ended. */
  public Run finished(RunStatus end, Instant at) {
    return new Run(header, end, lock, progress, warnings, refusal, at);
  }
}
