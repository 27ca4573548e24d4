package fleet.tower.service.mcp.tool.fixed;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

import fleet.tower.access.Caller;
import fleet.tower.answer.CommandLine;
import fleet.tower.answer.HaltText;
import fleet.tower.answer.LockEstimates;
import fleet.tower.answer.LockJson;
import fleet.tower.answer.LockText;
import fleet.tower.answer.NextAction;
import fleet.tower.answer.StrandedRun;
import fleet.tower.answer.WhyText;
import fleet.tower.lease.Lease;
import fleet.tower.lease.LeaseState;
import fleet.tower.lock.Freeze;
import fleet.tower.lock.FreezeState;
import fleet.tower.lock.LockView;
import fleet.tower.lock.queue.Wait;
import fleet.tower.operation.Ask;
import fleet.tower.operation.LockOperations;
import fleet.tower.operation.RunOperations;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.service.mcp.tool.ToolMembers;

/**
 * Why a lock is not available, and what its caller may do about it.
 *
 * @param intents those whose runs may take the lock; such a lock should not be taken outside of a run
 * @param halts those that may cover a request for the lock
 * @param stranded the queued runs that take the lock and that no live host takes
 */
record LockExplanation(LockView view, int waiters, List<String> intents, HaltText.OfLock halts,
    List<StrandedRun> stranded, Caller caller, LockEstimates estimates) {

  /** The members of the lock, the reasons, and the actions, best first. */
  JsonWriter json() {
    WhyText why = new WhyText(view, waiters, List.of(), halts, stranded, false, estimates.moment());
    List<String> reasons = new ArrayList<>(why.reasons().stream()
        .map(reason -> reason(reason.type(), withoutPaths(reason.message()))).toList());
    Optional<LockEstimates.Estimate> estimate = view.isFree() ? Optional.empty() : estimates.of(view);
    if (estimate.filter(it -> it.seconds().isEmpty()).isPresent()) {
      reasons.add(reason("overdue", "its holder takes longer than usual"));
    }
    JsonWriter json = ToolMembers.of(LockJson.view(view, waiters))
        .put("status", why.isFree() ? "free" : "blocked").list("reasons", reasons);
    List<String> own = intents.stream().filter(caller::mayRun).map(JsonWriter::quote).toList();
    if (!own.isEmpty()) {
      json.list("intents", own);
    }
    estimate.ifPresent(it -> it.addSecondsTo(json));
    return json.list("next_actions", actions().stream().map(NextAction::json).toList());
  }

  private static String reason(String type, String message) {
    return JsonWriter.line().put("type", type).put("message", message).end();
  }

  /** An explanation in words. */
  static String sentence(JsonObject json) {
    return "Lock " + json.text("lock_name").orElse("") + " is " + json.text("status").orElse("")
        + json.objects("reasons").stream().map(reason -> reason.text("message").orElse(""))
            .collect(Collectors.joining("; ", json.objects("reasons").isEmpty() ? "" : ": ", "."));
  }

  private String withoutPaths(String message) {
    String shown = message.replace(view.path(), "its file");
    return view.freeze() instanceof FreezeState.Corrupt(String path, String _)
        ? shown.replace(path, "a file")
        : shown;
  }

  private List<NextAction> actions() {
    List<NextAction> actions = new ArrayList<>(switch (view.leaseState()) {
      case LeaseState.Vacant() -> List.of();
      case LeaseState.Held held -> ofHeld(held);
      case LeaseState.Unusable _ -> List.of(operator(
          LockText.release(view.name(), LockText.NOT_HELD), "remove it if it is not held"));
    });
    switch (view.freeze()) {
      case FreezeState.None() -> {
      }
      case FreezeState.Frozen(Freeze freeze) -> {
        if (view.leaseState() instanceof LeaseState.Vacant) {
          actions.addFirst(waiting(Wait.MAX_SECONDS));
          LockText.outlasting(freeze.expiresAt(), estimates.moment())
              .ifPresent(until -> actions.addFirst(NextAction.advice(until)));
        }
      }
      case FreezeState.Corrupt _ ->
        actions.add(operator(CommandLine.of(LockOperations.UNFREEZE, LockOperations.of(view.name())),
            "lift the freeze if it is not wanted"));
    }
    return actions.stream().distinct().toList();
  }

  private List<NextAction> ofHeld(LeaseState.Held held) {
    Lease lease = held.lease();
    boolean isLive = !held.isStale() && !lease.holder().isGone();
    List<NextAction> actions = new ArrayList<>();
    if (lease.isOfRun()) {
      actions.add(NextAction.tool(new Ask(isLive ? RunOperations.AWAIT : RunOperations.VIEW,
          RunOperations.of(lease.requestId())), isLive ? "wait for the run that holds it" : "see how far the run got"));
    }
    if (!isLive && !lease.isOfRun() && caller.name().equals(lease.holder().actor())) {
      actions.add(NextAction.tool(new Ask(LockOperations.RELEASE, LockOperations.of(view.name())
          .with(LockOperations.OWNING, lease.requestId().value())), LockText.OF_OWNER));
    }
    if (!held.isStale()) {
      actions.add(waiting(LockOperations.USUAL_WAIT.toSeconds()));
    }
    if (!isLive) {
      actions.add(operator(LockText.release(view.name(), LockText.GONE),
          held.isStale() ? "free the lock" : "free the lock before it becomes stale"));
    }
    return actions;
  }

  /** A wait for the lock, by a run if an intent takes it. */
  private NextAction waiting(long seconds) {
    if (!intents.isEmpty()) {
      return NextAction.advice("wait in line with a run of " + String.join(" or ", intents)
          + ": call it with tower_wait_seconds; it takes the lock itself");
    }
    return caller.mayHold(view.name().value())
        ? NextAction.tool(
            new Ask(LockOperations.ACQUIRE, LockOperations.of(view.name()).with(LockOperations.WAIT, seconds)),
            "wait for it and take it")
        : NextAction.advice("look again later");
  }

  private static NextAction operator(String command, String why) {
    return NextAction.advice("ask an operator to run: " + command + " (" + why + ")");
  }
}
