package fleet.tower.service.web.http;

import java.util.List;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;

import fleet.tower.access.Caller;
import fleet.tower.access.Role;
import fleet.tower.answer.NextAction;
import fleet.tower.answer.RefusedRequest;
import fleet.tower.answer.Remedy.Change;
import fleet.tower.operation.Ask;
import fleet.tower.operation.CommonArgs;
import fleet.tower.operation.Given;
import fleet.tower.operation.Operation;
import fleet.tower.operation.Operations;
import fleet.tower.operation.RunOperations;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonReader;
import fleet.tower.platform.json.JsonValue;
import jakarta.servlet.http.HttpServletRequest;

/**
 * A refused call. Its repetitions contain the body that it sent, so none is offered for a body that has secret
 * parameters, is long, or was not read.
 */
public record RefusedHttpRequest(HttpServletRequest request) implements RefusedRequest {
  private static final String ASK = Ask.class.getName();
  private static final String SECRET = RefusedHttpRequest.class.getName() + ".secret";
  private static final int MAX_REPEATED = 16 * 1024;
  private static final NextAction HEALTH = NextAction.read("/actuator/health", null,
      "check that the service works; this needs no token");

  /** The call that this thread serves. */
  public static RefusedHttpRequest current() {
    if (RequestContextHolder.currentRequestAttributes() instanceof ServletRequestAttributes attributes) {
      return new RefusedHttpRequest(attributes.getRequest());
    }
    throw new IllegalStateException("this thread serves no call");
  }

  /** Keeps a request for its repetition. */
  static void received(HttpServletRequest request, Ask ask) {
    request.setAttribute(ASK, ask);
  }

  /** States that the body has secret parameters. */
  public static void hasSecrets(HttpServletRequest request) {
    request.setAttribute(SECRET, true);
  }

  private @Nullable Caller caller() {
    return request.getAttribute(Caller.class.getName()) instanceof Caller caller ? caller : null;
  }

  @Override
  public boolean permits(@Nullable Role needed) {
    Caller caller = caller();
    return needed == null || (caller != null && caller.role().covers(needed));
  }

  @Override
  public boolean isCaller(String actor) {
    Caller caller = caller();
    return caller != null && caller.name().equals(actor);
  }

  @Override
  public boolean permitsIntent(String intent) {
    Caller caller = caller();
    return caller != null && caller.allows(intent);
  }

  @Override
  public NextAction listing() {
    // A request line that is not HTTP has no path.
    @Nullable
    String path = request.getRequestURI();
    Operation list = Operations.listOf(path == null ? "" : path).orElse(RunOperations.LIST_INTENTS);
    return permits(Role.VIEWER) ? asking(new Ask(list, Given.NOTHING), "see what is there") : HEALTH;
  }

  @Override
  public NextAction again(List<Change> changes, @Nullable String intent, String why) {
    if (!(request.getAttribute(ASK) instanceof Ask ask)) {
      return request.getMethod().equals("GET")
          ? NextAction.read(request.getRequestURI() + query(), null, why)
          : NextAction.advice(why + "; the request is not repeated here, because its body is not shown");
    }
    Ask changed = changes.stream().anyMatch(Change.Planned.class::isInstance)
        ? ask.planned()
        : intent == null ? ask : ask.with(RunOperations.INTENT, intent);
    for (Change change : changes) {
      changed = change instanceof Change.NewId() ? renamed(changed) : change.to(changed);
    }
    boolean isSecret = request.getAttribute(SECRET) != null;
    return isSecret || changed.body().end().length() > MAX_REPEATED
        ? NextAction.advice(why + "; the request is not repeated here, because its body "
            + (isSecret ? "has secret parameters" : "is not shown") + added(ask, changed))
        : shown(changes, asking(changed.without(RunOperations.TRACE), why));
  }

  /** The action with the command that shows what a plan is wanted for, if there is a better one. */
  private static NextAction shown(List<Change> changes, NextAction action) {
    return changes.stream().flatMap(change -> change instanceof Change.Planned(String command)
        ? Stream.ofNullable(command)
        : Stream.empty()).findFirst().map(action::typed).orElse(action);
  }

  private String query() {
    return request.getQueryString() == null ? "" : "?" + request.getQueryString();
  }

  /** The request with another id, if it has one. */
  private static Ask renamed(Ask ask) {
    Ask named = ask.given().has(CommonArgs.REQUEST_ID) ? ask.with(CommonArgs.REQUEST_ID, NextAction.NEW) : ask;
    return ask.given().has(RunOperations.KEY) ? named.with(RunOperations.KEY, NextAction.NEW) : named;
  }

  /** The changes in words, for a request that is not repeated. */
  private static String added(Ask ask, Ask changed) {
    StringBuilder words = new StringBuilder();
    JsonObject before = JsonReader.readOwn(ask.body().end());
    JsonObject after = JsonReader.readOwn(changed.body().end());
    after.members().forEach((name, value) -> {
      JsonValue old = before.get(name);
      if (old == null || !before.raw(old).equals(after.raw(value))) {
        words.append("; send it with \"").append(name).append("\": ").append(after.raw(value));
      }
    });
    return words.toString();
  }
}
