package fleet.tower.cli.run;

import fleet.tower.answer.CommandLine;
import fleet.tower.answer.NextActions;
import fleet.tower.answer.Reply;
import fleet.tower.answer.RunJson;
import fleet.tower.cli.shell.Arguments;
import fleet.tower.operation.RunOperations;
import fleet.tower.platform.Exit;
import fleet.tower.run.Run;
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

  /** The reply for a run that others execute; a repeated request may find it finished. */
  static Reply submitted(Run run, boolean replayed) {
    if (run.status().isFinished()) {
      return new RunEnding(run, _ -> "", "logs/runs/" + run.requestId(), replayed).reply(false);
    }
    return Reply.of(Exit.DONE, RunJson.run(run, _ -> "").put("replayed", replayed)).data(run.requestId().value())
        .words("tower: run " + run.requestId() + (run.isQueued() ? " is queued" : " is " + run.status())
            + "; follow it with: "
            + CommandLine.of(RunOperations.VIEW, RunOperations.of(run.requestId())) + " --follow, or wait for its end: "
            + CommandLine.of(RunOperations.AWAIT, RunOperations.of(run.requestId())))
        .next(NextActions.unfinished(run)).by(run.actor().name());
  }
}
