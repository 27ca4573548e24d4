package fleet.tower.service.call.run;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

import fleet.tower.access.Caller;
import fleet.tower.access.Places;
import fleet.tower.access.Role;
import fleet.tower.answer.Answer;
import fleet.tower.answer.Asked;
import fleet.tower.answer.CommonProblems;
import fleet.tower.answer.PlanJson;
import fleet.tower.answer.Problem;
import fleet.tower.answer.Rejected;
import fleet.tower.answer.RunJson;
import fleet.tower.intent.Catalogue;
import fleet.tower.lease.RequestId;
import fleet.tower.operation.IntentRights;
import fleet.tower.operation.WaitingCalls;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.platform.list.Page.Placed;
import fleet.tower.platform.text.Nearest;
import fleet.tower.run.Run;
import fleet.tower.run.RunStatus;
import fleet.tower.run.RunStore;
import fleet.tower.run.execute.RunHandle;
import fleet.tower.run.submit.Plan;
import fleet.tower.run.submit.QueuedRuns;
import fleet.tower.run.submit.Runs;
import fleet.tower.run.submit.Runs.PlanOutcome;
import fleet.tower.run.submit.SubmitOutcome;
import fleet.tower.service.call.Needs;

/** Calls that run and plan intents, and list, show and cancel runs. */
public final class RunCalls {
  private final Catalogue catalogue;
  private final Runs runs;
  private final QueuedRuns queued;
  private final RunReplies replies;
  private final WaitingCalls waits;

  public RunCalls(Catalogue catalogue, Runs runs, QueuedRuns queued, RunReplies replies, WaitingCalls waits) {
    this.catalogue = catalogue;
    this.runs = runs;
    this.queued = queued;
    this.replies = replies;
    this.waits = waits;
  }

  /** A request for a run or a plan. Rejects it if it is invalid, or if the caller's token does not allow it. */
  public RunCall call(String intent, RunBody body, Caller caller, RunDoor door) {
    if (mayHaveSecrets(intent, body)) {
      door.hasSecrets();
    }
    RunCall call = RunCall.of(intent, body, caller, door);
    IntentRights.require(caller, catalogue, intent, call.request().params());
    return call;
  }

  /** Whether a parameter is secret, in the intent or in those that the caller may have meant. */
  private boolean mayHaveSecrets(String intent, RunBody body) {
    JsonObject params = body.params();
    return params != null && catalogue.find(intent).map(List::of)
        .orElseGet(() -> catalogue.closest(intent).stream().flatMap(it -> catalogue.find(it).stream()).toList())
        .stream().flatMap(found -> found.params().stream())
        .anyMatch(param -> param.secret() && params.members().containsKey(param.name()));
  }

  /** Starts or queues a run, and does not wait for it. */
  @Needs(Role.AGENT)
  public SubmitOutcome submit(RunCall call, Caller caller) {
    return call.isQueued()
        ? queued.enqueue(call.request())
        : runs.submit(call.request(), Places.Holder.of(caller));
  }

  /**
   * Takes a place among the waiting calls for a call that will follow its run; if it is refused, nothing has started.
   */
  public Places.Place enter(Caller caller) {
    return waits.enter(caller);
  }

  /** The problem of a request for a run or a plan that was rejected. */
  public Problem rejected(SubmitOutcome.Rejected why, RunCall call, Caller caller) {
    return replies.rejected(why, call, caller);
  }

  /** Starts or queues a run, and waits for its end as long as the caller prefers. */
  @Needs(Role.AGENT)
  public Answer run(RunCall call, Caller caller, Asked asked) {
    if (call.preference().isAsync()) {
      return replies.answer(call, caller, submit(call, caller), asked);
    }
    try (var _ = enter(caller)) {
      return replies.answer(call, caller, submit(call, caller), asked);
    }
  }

  /** What a run would do. */
  @Needs(Role.VIEWER)
  public Answer plan(RunCall call, Caller caller) {
    return switch (runs.plan(call.request())) {
      case PlanOutcome.Planned(Plan plan) -> Answer.ok(PlanJson.plan(plan));
      case PlanOutcome.NotPlanned(SubmitOutcome.Rejected why) -> replies.rejected(why, call, caller);
    };
  }

  /** Passes summaries of runs to the reader until it returns false. */
  @Needs(Role.VIEWER)
  public void list(RunStore.Query wanted, Predicate<Placed<JsonWriter>> reader) {
    runs.read(wanted, run -> reader.test(run.as(RunJson::summary)));
  }

  /** The status of runs to list, from its text. */
  public static RunStatus status(String text) {
    List<String> known = Arrays.stream(RunStatus.values()).map(RunStatus::toString).toList();
    return Arrays.stream(RunStatus.values()).filter(status -> status.toString().equals(text)).findFirst()
        .orElseThrow(() -> CommonProblems.invalid("status", "unknown status", Nearest.of(text, known)
            .map(near -> "did you mean " + near + "?").orElse("use one of " + String.join(", ", known))));
  }

  /** The run with an id. */
  @Needs(Role.VIEWER)
  public RunHandle find(String text) {
    RequestId id = new RequestId(text);
    return runs.find(id).orElseThrow(() -> new Rejected(RunProblems.unknownRun(id)));
  }

  /** The state of a run, after a wait for its end as long as the caller prefers. */
  @Needs(Role.VIEWER)
  public Answer state(RunHandle run, Preference preference, Caller caller, Asked asked) {
    return replies.state(run, preference, caller, asked);
  }

  /** Cancels a run. */
  @Needs(Role.AGENT)
  public Answer cancel(String text, Caller caller, Asked asked) {
    RunHandle run = find(text);
    RequestId id = new RequestId(text);
    caller.requireOwn(run.run().header().origin().actor().name(), "cancel run " + id);
    return switch (runs.cancel(id, caller.actor())) {
      case Runs.CancelOutcome.Requested() ->
        new Answer.Done(Answer.ACCEPTED, Map.of("Location", "/runs/" + id), replies.json(run.run(), run, asked));
      case Runs.CancelOutcome.Finished(Run ended) -> RunProblems.finished(ended);
      case Runs.CancelOutcome.NotFound() -> RunProblems.unknownRun(id);
    };
  }

  /** Reports progress of a run, as {@code tower beat} in a step does. */
  @Needs(Role.AGENT)
  public Answer beat(String text, Caller caller) {
    RunHandle run = find(text);
    RequestId id = new RequestId(text);
    caller.requireOwn(run.run().header().origin().actor().name(), "report progress of run " + id);
    return switch (runs.beat(id, caller.actor())) {
      case Runs.BeatOutcome.Recorded() -> Answer.ok(RunJson.beat(id, true));
      case Runs.BeatOutcome.NotNeeded() -> Answer.ok(RunJson.beat(id, false));
      case Runs.BeatOutcome.Finished() -> RunProblems.tooLate(id);
      case Runs.BeatOutcome.NotFound() -> RunProblems.unknownRun(id);
    };
  }
}
