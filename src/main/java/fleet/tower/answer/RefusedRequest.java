package fleet.tower.answer;

import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

import fleet.tower.access.Role;
import fleet.tower.operation.Ask;
import fleet.tower.operation.RunOperations;

/** A refused request as its door received it, so that it can be repeated, and what its caller is permitted to do. */
public interface RefusedRequest {
  /** How long a call waits for the end of a run. */
  long A_MINUTE = 60;

  /** Whether the caller may do what needs this role; null needs none. */
  boolean permits(@Nullable Role needed);

  /** Whether the caller may do here what only operators may. */
  default boolean isOperator() {
    return permits(Role.OPERATOR);
  }

  /** Whether the caller is this actor. */
  default boolean isCaller(String actor) {
    return false;
  }

  /** Whether the caller may run an intent. */
  boolean permitsIntent(String intent);

  /**
   * The request with changes; an action without a call and a command if it cannot be repeated in full, because that
   * would show a secret, for example.
   *
   * @param intent the intent to run instead; null for the same
   */
  NextAction again(List<Remedy.Change> changes, @Nullable String intent, String why);

  /** A list that works, or the help of the command. */
  NextAction listing();

  /**
   * The actions that this caller may take now, in the order of the remedies; advice comes last. If only an operator may
   * take a remedy, the last entry says what to ask one for.
   */
  default List<NextAction> actions(List<Remedy> remedies) {
    List<NextAction> actions = new ArrayList<>();
    List<NextAction> advice = new ArrayList<>();
    NextAction request = null;
    for (Remedy remedy : remedies) {
      if (permits(remedy)) {
        NextAction action = action(remedy);
        (action.isAdvice() ? advice : actions).add(action);
      } else if (request == null && remedy.needed() == Role.OPERATOR && permits(Role.VIEWER)) {
        request = requestTo(
            remedy.what() instanceof Remedy.Asks(Ask ask) ? calling(ask, remedy.why()) : action(remedy));
      }
    }
    actions.addAll(advice);
    if (request != null) {
      actions.add(request);
    }
    return actions.stream().distinct().toList();
  }

  private boolean permits(Remedy remedy) {
    String owner = remedy.owner();
    boolean isPermitted = owner == null
        ? permits(remedy.needed())
        : (isCaller(owner) && permits(Role.AGENT)) || (remedy.needed() != null && permits(remedy.needed()));
    return isPermitted
        && (!(remedy.what() instanceof Remedy.Again(var _, String intent)) || intent == null || permitsIntent(intent));
  }

  private NextAction action(Remedy remedy) {
    return switch (remedy.what()) {
      case Remedy.Asks(Ask ask) -> asking(ask, remedy.why());
      case Remedy.Typed(String command) ->
        command == null ? NextAction.advice(remedy.why()) : NextAction.command(command, remedy.why());
      case Remedy.Again(var changes, String intent) -> again(changes, intent, remedy.why());
      case Remedy.Listing() -> listing();
    };
  }

  /** The action that asks for an operation. */
  default NextAction asking(Ask ask, String why) {
    return calling(ask, why);
  }

  /** A call over HTTP, which says how long it waits, and the command that does the same. */
  private static NextAction calling(Ask ask, String why) {
    Ask call = ask.operation().equals(RunOperations.AWAIT) ? ask.with(RunOperations.END_WAIT, A_MINUTE) : ask;
    String body = ask.operation().method().hasBody() ? ask.body().end() : null;
    return new NextAction(ask.operation().method().name(), call.href(), ask.headers(), body,
        CommandLine.of(ask).orElse(null), null, null, NextAction.explained(why, ask.given().holds(NextAction.NEW)));
  }

  private static NextAction requestTo(NextAction action) {
    return NextAction.advice(action.command() == null
        ? "ask an operator: " + action.why()
        : "ask an operator to run: " + action.command() + " (" + action.why() + ")");
  }
}
