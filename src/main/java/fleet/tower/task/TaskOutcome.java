package fleet.tower.task;

import java.util.List;

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

  /** The answer to {@link TaskCommand.Sweep}. */
  sealed interface OfSweep extends TaskOutcome permits Swept, KeyReused {}

  /** What was refused; nothing has changed, and the same request may be tried again. */
  sealed interface Refusal
      extends
        TaskOutcome
      permits IdTaken, MissingDependencies, Contended, Unready, Finished, NotOwned, Unknown, KeyReused {}

  /** What an answer means for the caller's claim now, which for a repeated request may be long after. */
  enum Standing {
    /** The caller has no claim by this. */
    NONE,
    /** The claim is the caller's, and active. */
    HELD,
    /** The claim was the caller's; it has expired, or somebody else has it. Work must stop. */
    LOST,
    /** The caller has closed the task or given it back. */
    OVER
  }

  /**
   * It is done, now or, when it is {@code replayed}, before.
   *
   * @param seen the task as it is now
   * @param events what it was done by, the one that tells of the command itself last
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

    /** The event that tells of the command itself. */
    public TaskEvent event() {
      return events.getLast();
    }
  }

  /** There is no task to be had now. */
  record Idle() implements OfClaim {}

  /** All expired claims were taken away; one event for each. */
  record Swept(List<TaskEvent> events, boolean replayed) implements OfSweep {
    public Swept {
      events = List.copyOf(events);
    }
  }

  /** There was no claim to give back; nothing has changed. Only a release is answered so. */
  record Unclaimed(Task.View seen) implements OfHolder {}

  /** There is a task of this id already. */
  record IdTaken(Task.View seen) implements OfCreate, Refusal {}

  /** It depends on tasks that are not there. */
  record MissingDependencies(List<TaskId> missing) implements OfCreate, Refusal {
    public MissingDependencies {
      missing = List.copyOf(missing);
    }
  }

  /** Another agent has an active claim on it, or the same agent in another attempt than the one that was given. */
  record Contended(Task.View seen) implements OfStart, Refusal {}

  /** It depends on tasks that are not completed. */
  record Unready(Task.View seen, List<TaskId> open) implements OfStart, Refusal {
    public Unready {
      open = List.copyOf(open);
    }
  }

  /** It is completed, which is for good. */
  record Finished(Task.View seen) implements OfStart, Refusal {}

  /** Why a claim is not the caller's. */
  enum Reason {
    /** Nobody has a claim on it. */
    UNCLAIMED,
    /** It was the caller's claim, and has expired; nobody has taken it yet. */
    EXPIRED,
    /** Somebody else has it. */
    TAKEN,
    /** The same agent has it in another attempt. */
    OTHER_ATTEMPT
  }

  /** The caller has not the current, unexpired claim; nothing has changed. */
  record NotOwned(Task.View seen, Reason reason) implements OfHolder, Refusal {}

  /** There is no such task. */
  record Unknown(TaskId id) implements OfStart, OfHolder, Refusal {}

  /** The agent has used this request id before, for something else. */
  record KeyReused(RequestId requestId, String command, String arguments)
      implements
        OfCreate,
        OfClaim,
        OfStart,
        OfHolder,
        OfSweep,
        Refusal {}
}
