package fleet.tower.cli.run;

import fleet.tower.answer.Reply;
import fleet.tower.cli.shell.Arguments;
import fleet.tower.operation.RunOperations;
import fleet.tower.run.submit.RunRequest;

/** Starts the runs of a home in this process, or those of a service. */
public interface RunClient {

  /** Runs an intent. */
  Reply run(RunRequest request, Manner manner);

  /**
   * How {@code tower run} runs an intent.
   *
   * @param isQueued whether any executor may take the run
   * @param isDetached whether a service executes the run, if one does
   * @param requiresLock whether a mutating intent without a lock is refused
   * @param asJson whether the reply is read by a program
   */
  record Manner(boolean isQueued, boolean isDetached, boolean requiresLock, boolean asJson) {
    static Manner of(Arguments arguments) {
      return new Manner(arguments.has(RunOperations.QUEUE.name()), arguments.has(RunOptions.DETACH.name()),
          arguments.has(RunOptions.REQUIRE_LOCK.name()), arguments.has("json"));
    }

    /** Whether to show the run until its end; else the reply is its id, without waiting. */
    public boolean isFollowed() {
      return !isQueued && !isDetached;
    }
  }
}
