package fleet.tower.service.mcp.task;

import java.util.ArrayList;
import java.util.List;

import fleet.tower.answer.Asked;
import fleet.tower.answer.NextAction;
import fleet.tower.answer.NextActions;
import fleet.tower.answer.NextStep;
import fleet.tower.intent.Intent;
import fleet.tower.operation.Given;
import fleet.tower.operation.LockOperations;
import fleet.tower.operation.RunOperations;
import fleet.tower.run.Run;
import fleet.tower.run.RunStatus;

/**
 * The actions that a caller may take after it has seen a run, best first.
 *
 * @param isRepeatable whether the request that is being answered is the one that requested the run
 */
record RunActions(Asked asked, boolean isRepeatable) {

  List<NextAction> of(Run run) {
    return run.status().isFinished()
        ? asked.actions(steps(run).stream().map(this::possible).toList())
        : unfinished(run);
  }

  /** An action in words. */
  static String line(NextAction action) {
    return action.tool() == null ? action.line() : action.why() + ": " + action.tool() + " " + action.arguments();
  }

  /** The result of a run shows its state, unless it has not begun. */
  private List<NextAction> unfinished(Run run) {
    return asked.actions(NextActions.unfinished(run).stream().filter(step -> run.status() == RunStatus.WAITING
        || !(step.what() instanceof NextStep.Asks(var ask)) || !ask.operation().equals(RunOperations.VIEW)).toList());
  }

  private static List<NextStep> steps(Run run) {
    if (run.refusal() != null) {
      return NextActions.of(run.refusal(), run);
    }
    return switch (run.status()) {
      case SUCCEEDED, WAITING, RUNNING, REFUSED -> List.of();
      case CANCELLED -> run.begun().isEmpty()
          ? List.of(NextStep.again("request it again", new NextStep.Change.NewId()))
          : List.of(log(run));
      case FAILED, TIMED_OUT -> List.of(log(run));
      case LOCK_LOST -> afterInspection(run, "see who has the lock");
      case INTERRUPTED -> run.begun().isEmpty()
          ? List.of(NextStep.again("request it again"))
          : afterInspection(run, "see whether its lock is still held");
    };
  }

  private static NextStep log(Run run) {
    return NextStep.advice("read all of its output: resource " + RunResults.log(run));
  }

  private static List<NextStep> afterInspection(Run run, String why) {
    List<NextStep> steps = new ArrayList<>();
    if (run.lock() != null) {
      steps.add(NextStep.ask(LockOperations.VIEW,
          Given.NOTHING.with(LockOperations.NAME, run.lock().name().value()), why));
    }
    steps.add(NextActions.parameters(run.intent()));
    steps.add(log(run));
    steps.add(run.header().subject().mode() == Intent.Mode.RECONCILE
        ? NextStep.again("run it again: it completes the interrupted work", new NextStep.Change.NewId())
        : NextStep.advice("run " + run.intent() + " again once you know how far it got"));
    return steps;
  }

  /** A call that only shows the run cannot repeat the request: it does not know the parameters. */
  private NextStep possible(NextStep step) {
    if (isRepeatable || !(step.what() instanceof NextStep.Again(var changes, var _))) {
      return step;
    }
    String how = "call the tool of the intent again with the same arguments";
    for (NextStep.Change change : changes) {
      how += switch (change) {
        case NextStep.Change.Waiting(long seconds) -> " and tower_wait_seconds " + seconds;
        case NextStep.Change.NewId() -> " and another tower_request_id";
        case NextStep.Change.Forced _,NextStep.Change.Queued _,NextStep.Change.Planned _ -> "";
      };
    }
    return NextStep.advice(step.why() + ": " + how);
  }
}
