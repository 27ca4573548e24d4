package fleet.tower.service.mcp.task;

import java.util.ArrayList;
import java.util.List;

import fleet.tower.answer.NextAction;
import fleet.tower.answer.RefusedRequest;
import fleet.tower.answer.Remedies;
import fleet.tower.answer.Remedy;
import fleet.tower.intent.Intent;
import fleet.tower.operation.Given;
import fleet.tower.operation.LockOperations;
import fleet.tower.operation.RunOperations;
import fleet.tower.run.Run;

/**
 * The actions that a caller may take after it has seen a run, best first.
 *
 * @param isRepeatable whether the request that is being answered is the one that requested the run
 */
record RunRemedies(RefusedRequest refused, boolean isRepeatable) {

  List<NextAction> of(Run run) {
    return run.status().isFinished()
        ? refused.actions(remedies(run).stream().map(this::possible).toList())
        : unfinished(run);
  }

  /** An action in words. */
  static String line(NextAction action) {
    return action.tool() == null ? action.line() : action.why() + ": " + action.tool() + " " + action.arguments();
  }

  /** The result of a run shows its state, unless it has not begun. */
  private List<NextAction> unfinished(Run run) {
    return refused.actions(Remedies.unfinished(run).stream().filter(remedy -> run.isUnstarted()
        || !(remedy.what() instanceof Remedy.Asks(var ask)) || !ask.operation().equals(RunOperations.VIEW)).toList());
  }

  private static List<Remedy> remedies(Run run) {
    if (run.refusal() != null) {
      return Remedies.of(run.refusal(), run);
    }
    return switch (run.status()) {
      case SUCCEEDED, AWAITING_APPROVAL, WAITING, RUNNING, REFUSED -> List.of();
      case CANCELLED -> run.begun().isEmpty()
          ? List.of(Remedy.again("request it again", new Remedy.Change.NewId()))
          : List.of(log(run));
      case FAILED, TIMED_OUT -> List.of(log(run));
      case LOCK_LOST -> afterInspection(run, "see who has the lock");
      case INTERRUPTED -> run.begun().isEmpty()
          ? List.of(Remedy.again("request it again"))
          : afterInspection(run, "see whether its lock is still held");
    };
  }

  private static Remedy log(Run run) {
    return Remedy.advice("read all of its output: resource " + RunResults.log(run));
  }

  private static List<Remedy> afterInspection(Run run, String why) {
    List<Remedy> remedies = new ArrayList<>();
    if (run.lock() != null) {
      remedies.add(Remedy.ask(LockOperations.VIEW,
          Given.NOTHING.with(LockOperations.NAME, run.lock().name().value()), why));
    }
    remedies.add(Remedies.parameters(run.intent()));
    remedies.add(log(run));
    remedies.add(run.header().subject().mode() == Intent.Mode.RECONCILE
        ? Remedy.again("run it again: it completes the interrupted work", new Remedy.Change.NewId())
        : Remedy.advice("run " + run.intent() + " again once you know how far it got"));
    return remedies;
  }

  /** A call that only shows the run cannot repeat the request: it does not know the parameters. */
  private Remedy possible(Remedy remedy) {
    if (isRepeatable || !(remedy.what() instanceof Remedy.Again(var changes, var _))) {
      return remedy;
    }
    String how = "call the tool of the intent again with the same arguments";
    for (Remedy.Change change : changes) {
      how += switch (change) {
        case Remedy.Change.Waiting(long seconds) -> " and tower_wait_seconds " + seconds;
        case Remedy.Change.NewId() -> " and another tower_request_id";
        case Remedy.Change.Forced _,Remedy.Change.Queued _,Remedy.Change.Planned _ -> "";
      };
    }
    return Remedy.advice(remedy.why() + ": " + how);
  }
}
