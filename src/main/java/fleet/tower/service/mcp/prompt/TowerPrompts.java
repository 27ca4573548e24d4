package fleet.tower.service.mcp.prompt;

import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;

import fleet.tower.access.Caller;
import fleet.tower.access.Forbidden;
import fleet.tower.access.Role;
import fleet.tower.home.RunEngine;
import fleet.tower.intent.Catalogue;
import fleet.tower.intent.ToolName;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.RequestId;
import fleet.tower.operation.RunOperations;
import fleet.tower.platform.InvalidValue;
import fleet.tower.platform.json.JsonWriter;

/**
 * The prompts of the tower. Each has one argument, the name of something that exists or a valid name, so that a value
 * is never read as a part of the prompt.
 */
public final class TowerPrompts {
  private static final String CHANGE_SAFELY = """
      Run the intent `{intent}` safely.

      1. Call `plan_intent` for it with the parameters that you intend to use. It changes nothing. Check the lock, the \
      steps and the warnings, and stop if they are not what was requested.
      2. Choose a new `tower_request_id`. Call `{tool}` (or `run_intent`, if there is no such tool) with the same \
      parameters, this id, the `plan_hash` of the plan as `tower_plan_hash`, and `tower_wait_seconds` to wait in line \
      if the lock is held.
      3. If the answer is lost, repeat exactly this call: the same id never runs twice. If the run is still active, \
      call `wait_run`.
      4. If you are refused, call the first of `next_actions` that fits. Do not repeat an unchanged call that is not \
      retryable.
      5. Report how the run ended and its id. If a step failed, say which, and whether it was rolled back.
      """;
  private static final String UNBLOCK = """
      Find out why the lock `{lock}` blocks, and what helps.

      1. Call `explain_lock` for it. It names the holder, what it does, when the lock expires, a freeze, and the \
      waiters.
      2. If a live holder works under the lock, wait for it: the holder is never disturbed. If the lock is frozen, an \
      operator stopped all new work on it: report the reason and the end of the freeze.
      3. If the lock is stale or its holder is gone, {advice}
      4. Report what you found and what you did. Never remove a lock by hand.
      """;
  private static final String TAKE_OVER = """
      Take over the run `{run}`, whose session has ended.

      1. Call `get_run` for it. While it is running or waiting, only follow it with `wait_run`; it is still executed.
      2. If it succeeded, report that; there is nothing to take over.
      3. Otherwise read the output of its steps in the resource `tower://runs/{run}/log`, and find out which steps have \
      taken effect and whether they were rolled back. An interrupted run was not rolled back.
      4. Call `explain_lock` for its lock. If the lock is stale or another holder has it, follow `next_actions`; do \
      not work around it.
      5. Only when you know the state of the system: call `plan_intent` for the same intent and parameters, then run \
      it again with a new `tower_request_id`. The old id would only return the old run.
      """;

  private TowerPrompts() {}

  /** All prompts, in the order of the list. */
  public static List<Prompt> of(RunEngine engine) {
    return List.of(
        new NamedPrompt("change_safely", "Change something safely",
            "Plan an intent, run it once, and report how it ended", Role.AGENT,
            new Prompt.Argument("intent", "the name of the intent", true),
            (name, caller) -> changeSafely(intent(name, engine.catalogue(), caller))),
        new NamedPrompt("unblock", "Find out why a lock blocks",
            "Explain who holds a lock or froze it, and what helps", Role.VIEWER,
            new Prompt.Argument("lock", "the name of the lock", true),
            (name, caller) -> unblock(new LeaseName(name), caller)),
        new NamedPrompt("take_over", "Take over a run",
            "Find out how far a run of another session got, and finish its work", Role.AGENT,
            new Prompt.Argument("run", "the request id of the run", true),
            (name, _) -> takeOver(run(name, engine))));
  }

  /**
   * A prompt with one argument.
   *
   * @param needed the role that can do what the prompt requests
   *
   * @param messages the messages for a value and a caller
   */
  private record NamedPrompt(String name, String title, String description, Role needed, Argument argument,
      BiFunction<String, Caller, List<String>> messages) implements Prompt {

    @Override
    public JsonWriter definition() {
      return JsonWriter.line().put("title", title).put("description", description);
    }

    @Override
    public List<Argument> arguments() {
      return List.of(argument);
    }

    @Override
    public boolean isFor(Caller caller) {
      return caller.role().covers(needed);
    }

    @Override
    public List<String> messages(Map<String, String> arguments, Caller caller) {
      return messages.apply(arguments.getOrDefault(argument.name(), ""), caller);
    }
  }

  private static String intent(String name, Catalogue catalogue, Caller caller) {
    if (catalogue.find(name).isEmpty()) {
      List<String> closest = catalogue.closest(name);
      throw invalid("there is no intent " + InvalidValue.shown(name)
          + (closest.isEmpty() ? "" : "; did you mean " + String.join(" or ", closest) + "?"));
    }
    if (!caller.mayRun(name)) {
      throw new Forbidden(Forbidden.Reason.INTENT_NOT_ALLOWED,
          "your token does not permit the intent " + InvalidValue.shown(name), null);
    }
    return name;
  }

  private static RequestId run(String id, RunEngine engine) {
    return engine.runs().find(new RequestId(id)).map(handle -> handle.run().requestId())
        .orElseThrow(() -> invalid(
            "there is no run " + InvalidValue.shown(id) + "; " + RunOperations.LIST.toolName() + " lists the newest"));
  }

  private static List<String> changeSafely(String intent) {
    return messages(CHANGE_SAFELY.replace("{intent}", intent).replace("{tool}", ToolName.of(intent)),
        "intents/" + intent);
  }

  private static List<String> unblock(LeaseName lock, Caller caller) {
    return messages(UNBLOCK.replace("{lock}", lock.value()).replace("{advice}", caller.mayForce()
        ? "find out how far its work got (`get_run`, if it is a run), and suggest the command of `next_actions` to a"
            + " person; no tool takes a lock by force."
        : "report the command that `next_actions` suggests for an operator. Do not try another way."),
        "locks/" + lock);
  }

  private static List<String> takeOver(RequestId run) {
    return messages(TAKE_OVER.replace("{run}", run.value()), "runs/" + run);
  }

  /** A text, and a link to the resource that it is about. */
  private static List<String> messages(String text, String resource) {
    return List.of(message(JsonWriter.line().put("type", "text").put("text", text)),
        message(JsonWriter.line().put("type", "resource_link").put("uri", "tower://" + resource).put("name", resource)
            .put("mimeType", "application/json")));
  }

  private static String message(JsonWriter content) {
    return JsonWriter.line().put("role", "user").put("content", content).end();
  }

  private static InvalidValue invalid(String text) {
    return new InvalidValue(InvalidValue.Kind.REQUEST, text);
  }
}
