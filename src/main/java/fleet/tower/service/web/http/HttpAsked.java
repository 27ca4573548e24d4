package fleet.tower.service.web.http;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;

import fleet.tower.access.Caller;
import fleet.tower.access.Role;
import fleet.tower.answer.Asked;
import fleet.tower.answer.NextAction;
import fleet.tower.answer.NextStep.Change;
import fleet.tower.operation.Ask;
import fleet.tower.operation.CommonArgs;
import fleet.tower.operation.LockOperations;
import fleet.tower.operation.RunOperations;
import fleet.tower.platform.json.JsonException;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonReader;
import fleet.tower.platform.json.JsonWriter;
import jakarta.servlet.http.HttpServletRequest;

/**
 * A refused call. Its repetitions contain the body that it sent, so none is offered for a body that has secret
 * parameters, is long, or was not read.
 */
public record HttpAsked(HttpServletRequest request) implements Asked {
  private static final String ASK = Ask.class.getName();
  private static final String BODY = HttpAsked.class.getName() + ".body";
  private static final String SECRET = HttpAsked.class.getName() + ".secret";
  private static final int MAX_REPEATED = 16 * 1024;
  private static final String KEY = "Idempotency-Key";
  private static final String PREFER = "Prefer";
  private static final String REQUEST_ID = "request_id";
  private static final String INTENTS = "/intents/";
  private static final NextAction HEALTH = NextAction.read("/actuator/health", null,
      "check that the service works; this needs no token");
  /** The lists, with their commands. */
  private static final Map<String, @Nullable String> LISTS = lists();

  private static Map<String, @Nullable String> lists() {
    Map<String, @Nullable String> lists = new HashMap<>();
    lists.put("intents", "tower intents");
    lists.put("runs", "tower runs");
    lists.put("locks", "tower locks");
    lists.put("freezes", null);
    lists.put("tasks", "tower task list");
    lists.put("mailboxes", "tower mailbox count");
    lists.put("audit", "tower audit");
    lists.put("hosts", "tower hosts");
    return lists;
  }

  /** The call that this thread serves. */
  public static HttpAsked current() {
    if (RequestContextHolder.currentRequestAttributes() instanceof ServletRequestAttributes attributes) {
      return new HttpAsked(attributes.getRequest());
    }
    throw new IllegalStateException("this thread serves no call");
  }

  /** Keeps the body of a call for its repetition. */
  static void received(HttpServletRequest request, String body) {
    request.setAttribute(BODY, body);
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
    String[] parts = path == null ? new String[0] : path.split("/", -1);
    String list = parts.length > 1 && LISTS.containsKey(parts[1]) ? parts[1] : "intents";
    return permits(Role.VIEWER)
        ? NextAction.read("/" + list, LISTS.get(list), "see what is there")
        : HEALTH;
  }

  @Override
  public NextAction again(List<Change> changes, @Nullable String intent, String why) {
    // Requests for runs may have secrets, and changes that only they know.
    if (request.getAttribute(ASK) instanceof Ask ask && intent == null
        && !ask.operation().args().contains(RunOperations.PARAMS)) {
      return again(ask, changes, why);
    }
    String sent = request.getAttribute(BODY) instanceof String text ? text : null;
    boolean hasBody = !Set.of("GET", "HEAD", "DELETE", "OPTIONS").contains(request.getMethod());
    if (request.getAttribute(SECRET) != null || (hasBody && (sent == null || sent.length() > MAX_REPEATED))) {
      return NextAction.advice(why + "; the request is not repeated here, because its body "
          + (request.getAttribute(SECRET) != null ? "has secret parameters" : "is not shown") + changed(changes));
    }
    try {
      return again(JsonReader.readObject(sent == null || sent.isEmpty() ? "{}" : sent), hasBody, changes, intent, why);
    } catch (JsonException notRead) {
      return NextAction.advice(why);
    }
  }

  private NextAction again(Ask ask, List<Change> changes, String why) {
    Ask changed = ask;
    String reason = why;
    for (Change change : changes) {
      switch (change) {
        case Change.Waiting(long seconds) -> changed = changed.with(LockOperations.WAIT, seconds);
        case Change.Forced(boolean force) -> changed = changed.with(LockOperations.FORCE, force);
        case Change.NewId() when ask.given().has(CommonArgs.REQUEST_ID) -> {
          changed = changed.with(CommonArgs.REQUEST_ID, NextAction.NEW);
          reason += "; " + NextAction.NEW + " is an id that you choose";
        }
        case Change.NewId(),Change.Queued(),Change.Planned _ -> {
          // Changes of requests for runs, or of an id that the service chose.
        }
      }
    }
    return changed.body().end().length() > MAX_REPEATED
        ? NextAction.advice(why + "; the request is not repeated here, because its body is not shown")
        : asking(changed, reason);
  }

  /** The changes in words, for a request that is not repeated. */
  private static String changed(List<Change> changes) {
    StringBuilder words = new StringBuilder();
    edits(changes).forEach((member, value) -> words.append("; send it with \"").append(member).append("\": ")
        .append(value));
    return words.toString();
  }

  private static Map<String, String> edits(List<Change> changes) {
    Map<String, String> edits = new LinkedHashMap<>();
    for (Change change : changes) {
      switch (change) {
        case Change.Waiting(long seconds) -> edits.put("wait_seconds", Long.toString(seconds));
        case Change.Forced(boolean force) -> edits.put("force_lock", Boolean.toString(force));
        case Change.Queued() -> edits.put("queue", "true");
        case Change.NewId(),Change.Planned _ -> {
          // Changes of the path, of the headers, or of a member that may be missing.
        }
      }
    }
    return edits;
  }

  private NextAction again(JsonObject body, boolean hasBody, List<Change> changes, @Nullable String intent,
      String why) {
    Map<String, String> members = new LinkedHashMap<>();
    body.members().forEach((name, value) -> members.put(name, body.raw(value)));
    members.putAll(edits(changes));
    Map<String, String> headers = headers();
    String reason = why;
    String path = request.getRequestURI();
    String command = null;
    for (Change change : changes) {
      if (change instanceof Change.NewId() && (members.containsKey(REQUEST_ID) || headers.containsKey(KEY))) {
        members.replace(REQUEST_ID, JsonWriter.quote(NextAction.NEW));
        headers.replace(KEY, NextAction.NEW);
        reason += "; " + NextAction.NEW + " is an id that you choose";
      } else if (change instanceof Change.Planned(String shown, Set<String> options)) {
        members.keySet().retainAll(Set.of("params", "force_lock"));
        headers.clear();
        path += path.startsWith(INTENTS) && !path.endsWith("/plan") ? "/plan" : "";
        command = options.isEmpty() ? shown : null;
      }
    }
    if (intent != null && path.startsWith(INTENTS)) {
      path = path.replaceFirst("^/intents/[^/]*", INTENTS + intent);
    } else if (intent != null) {
      members.replace("intent", JsonWriter.quote(intent));
    }
    JsonWriter json = JsonWriter.line();
    members.forEach(json::raw);
    String href = request.getQueryString() == null ? path : path + "?" + request.getQueryString();
    return new NextAction(request.getMethod(), href, headers, hasBody ? json.end() : null,
        command == null ? HttpCommand.of(request.getMethod(), path, request, members).orElse(null) : command, null,
        null, reason);
  }

  private Map<String, String> headers() {
    Map<String, String> headers = new LinkedHashMap<>();
    for (String name : List.of(KEY, PREFER)) {
      String value = request.getHeader(name);
      if (value != null) {
        headers.put(name, value);
      }
    }
    return headers;
  }
}
