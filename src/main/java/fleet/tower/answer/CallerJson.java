package fleet.tower.answer;

import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import fleet.tower.access.AllowedIntents;
import fleet.tower.access.AllowedIntents.ValuePattern;
import fleet.tower.access.Caller;
import fleet.tower.access.Caller.Credential;
import fleet.tower.access.NamePattern;
import fleet.tower.access.Role;
import fleet.tower.access.Scope;
import fleet.tower.lease.Door;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonValue;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.platform.time.Timestamps;

/** Writes and reads a caller with what it may run and hold, in the same form for every interface. */
public final class CallerJson {
  private static final String ANY = "*";
  private static final List<AllowedIntents> ANY_INTENTS = List.of(AllowedIntents.any(NamePattern.intent(ANY)));

  private CallerJson() {}

  /** A caller. Without limits, the only pattern is {@code *}; a viewer has none. */
  public static JsonWriter caller(Caller caller) {
    boolean isAgent = caller.role().covers(Role.AGENT);
    Scope scope = caller.scope();
    JsonWriter json = JsonWriter.line().put("name", caller.name())
        .put("principal", caller.principal()).put("role", caller.role().toString())
        .put("on_behalf_of", caller.onBehalfOf())
        .list("intents", !isAgent ? List.of() : intents(scope))
        .list("locks", !isAgent ? List.of() : names(scope.locks()))
        .list("mailboxes", !isAgent ? List.of() : names(scope.mailboxes()))
        .list("tasks", !isAgent ? List.of() : names(scope.tasks()))
        .list("approve", quoted(scope.approve()))
        .put("may_force", caller.mayForce());
    return caller.credential().expires() == null
        ? json.raw("expires_at", "null")
        : json.put("expires_at", caller.credential().expires());
  }

  /** The intents that a scope allows. */
  public static List<String> intents(Scope scope) {
    return (scope.intents().isEmpty() ? ANY_INTENTS : scope.intents()).stream().map(CallerJson::allowed).toList();
  }

  /** The names that a list of a scope allows. */
  public static List<String> names(List<NamePattern> allowed) {
    return allowed.isEmpty()
        ? List.of(JsonWriter.quote(ANY))
        : quoted(allowed);
  }

  /** Patterns as JSON texts. */
  public static List<String> quoted(List<NamePattern> patterns) {
    return patterns.stream().map(it -> JsonWriter.quote(it.text())).toList();
  }

  private static String allowed(AllowedIntents intents) {
    JsonWriter params = JsonWriter.line();
    intents.params().forEach((param, values) -> params.list(param,
        values.stream().map(it -> JsonWriter.quote(it.text())).toList()));
    return JsonWriter.line().put("name", intents.name().text()).put("params", params).end();
  }

  /** A credential of a service, of which only the expiry is known here. */
  private record RemoteCredential(@Nullable Instant expires) implements Credential {
    @Override
    public boolean isValid() {
      return true;
    }
  }

  /** Reads a caller that a service wrote. */
  public static Caller read(JsonObject json) {
    Role role = Role.valueOf(json.text("role").orElse("viewer").toUpperCase(Locale.ROOT));
    List<AllowedIntents> intents = json.objects("intents").stream().map(CallerJson::allowed).toList();
    Scope scope = new Scope(intents.equals(ANY_INTENTS) ? List.of() : intents,
        names(json, "locks", NamePattern::lock), names(json, "mailboxes", NamePattern::mailbox),
        names(json, "tasks", NamePattern::project), json.texts("approve").stream().map(NamePattern::intent).toList());
    String name = json.text("name").orElse("?");
    Credential credential = new RemoteCredential(json.text("expires_at").flatMap(Timestamps::parse).orElse(null));
    String principal = json.text("principal").orElse(name);
    return new Caller(name, () -> principal, role, scope,
        json.text("on_behalf_of").orElse(null), credential, Door.HTTP);
  }

  private static List<NamePattern> names(JsonObject json, String key, Function<String, NamePattern> pattern) {
    List<String> names = json.texts(key);
    return names.equals(List.of(ANY)) ? List.of() : names.stream().map(pattern).toList();
  }

  private static AllowedIntents allowed(JsonObject json) {
    Map<String, List<ValuePattern>> params = new LinkedHashMap<>();
    json.object("params").ifPresent(all -> all.members().forEach((param, values) -> params.put(param,
        values instanceof JsonValue.Items items
            ? items.values().stream().map(CallerJson::value).toList()
            : List.of())));
    return new AllowedIntents(NamePattern.intent(json.text("name").orElse(ANY)), params);
  }

  private static ValuePattern value(JsonValue value) {
    return new ValuePattern(value instanceof JsonValue.Text text ? text.value() : "");
  }
}
