package fleet.tower.task;

import java.util.List;

import org.jspecify.annotations.Nullable;

import fleet.tower.lease.RequestId;

/** The answer to a {@link TaskCommand}. */
public sealed interface TaskOutcome {

  /** The answer to {@link TaskCommand.Create}. */
  sealed interface OfCreate extends TaskOutcome permits Done, IdTaken, MissingDependencies, KeyReused {}

  /** The answer to {@link TaskCommand.Claim} and {@link TaskCommand.Resume}. */
  sealed interface OfClaim extends TaskOutcome permits Done, Idle, KeyReused {}

  /** The answer to {@link TaskCommand.Start}. */
  sealed interface OfStart extends TaskOutcome permits Done, Contended, Unready, Finished, Unknown, KeyReused {}

  /** The answer to heartbeat, close and release. */
  sealed interface OfHolder extends TaskOutcome permits Done, Unclaimed, NotOwned, Unknown, KeyReused {}

  /** The answer to {@link TaskCommand.Expire}. */
  sealed interface OfExpire extends TaskOutcome permits Expired, KeyReused {}

  /** A refusal: nothing has changed, and the same request may be tried again. */
  sealed interface Refusal
      extends
        TaskOutcome
      permits IdTaken, MissingDependencies, Contended, Unready, Finished, NotOwned, Unknown, KeyReused {}

  /** The state of the caller's claim at the time of the answer, which may be long after a repeated request. */
  enum Standing {
    /** The command gives the caller no claim. */
    NONE,
    /** The caller has the claim, and it is active. */
    HELD,
    /** The caller's claim has expired, or another agent has the task. Work must stop. */
    LOST,
    /** The caller has closed or released the task. */
    OVER
  }

  /**
   * The command was performed: now or, if {@code replayed}, before.
   *
   * @param seen the task as it is now
   * @param events the events of the command; the last one is the command's own
   */
  record Done(Task.View seen, List<TaskEvent> events, boolean replayed, Standing standing)
      implements
        OfCreate,
        OfClaim,
        OfStart,
        OfHolder {
    public Done {
      events = List.copyOf(events);
    }

    /** The command's own event. */
    public TaskEvent event() {
      return events.getLast();
    }
  }

  /** No task is available now. */
  record Idle() implements OfClaim {}

  /** All expired claims were removed; one event for each. */
  record Expired(List<TaskEvent> events, boolean replayed) implements OfExpire {
    public Expired {
      events = List.copyOf(events);
    }
  }

  /** There was no claim to release; nothing has changed. Only the answer to a release. */
  record Unclaimed(Task.View seen) implements OfHolder {}

  /** A task with this id exists already. */
  record IdTaken(Task.View seen) implements OfCreate, Refusal {}

  /** The task depends on tasks that do not exist. */
  record MissingDependencies(List<TaskId> missing) implements OfCreate, Refusal {
    public MissingDependencies {
      missing = List.copyOf(missing);
    }
  }

  /**
   * Another agent or another token has an active claim on the task, or the same agent in an attempt other than the
   * given one.
   */
  record Contended(Task.View seen) implements OfStart, Refusal {}

  /** The task depends on tasks that are not completed. */
  record Unready(Task.View seen, List<TaskId> open) implements OfStart, Refusal {
    public Unready {
      open = List.copyOf(open);
    }
  }

  /** The task is completed, which is final. */
  record Finished(Task.View seen) implements OfStart, Refusal {}

  /** The reason why a claim is not the caller's. */
  enum Reason {
    /** The task is not claimed. */
    UNCLAIMED,
    /** The caller's claim has expired; no other agent has claimed the task yet. */
    EXPIRED,
    /** Another agent has the claim, or another token. */
    TAKEN,
    /** The same agent has the claim in another attempt. */
    OTHER_ATTEMPT
  }

  /** The caller does not have the current, unexpired claim; nothing has changed. */
  record NotOwned(Task.View seen, Reason reason) implements OfHolder, Refusal {}

  /** The task does not exist. */
  record Unknown(TaskId id) implements OfStart, OfHolder, Refusal {}

  /**
   * The agent has used this request id for another request, or another token has used it as this agent.
   *
   * @param token the name of the token that used it; null if none did
   */
  record KeyReused(RequestId requestId, String command, String arguments, @Nullable String token)
      implements
        OfCreate,
        OfClaim,
        OfStart,
        OfHolder,
        OfExpire,
        Refusal {}
}
