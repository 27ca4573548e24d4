package fleet.tower.service.mcp;

import java.util.Set;
import java.util.stream.Collectors;

import fleet.tower.audit.AuditEvent.McpRequest;
import fleet.tower.intent.Catalogue;
import fleet.tower.intent.Parameter;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonValue;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.platform.secret.Secrets;
import fleet.tower.service.mcp.wire.Request;

/**
 * Requests as the audit log shows their refusals: with their arguments, in which each value with the name of any
 * intent's secret parameter is masked. What is longer than a line can show is cut.
 */
public record RefusedRequests(Catalogue catalogue) {
  private static final String TOOL_CALL = "tools/call";
  private static final int MAX_NAME = 100;
  private static final int MAX_ARGUMENTS = 1000;

  /** A request that was refused. */
  public McpRequest of(Request request) {
    JsonObject params = request.params();
    boolean isTool = request.method().equals(TOOL_CALL);
    String arguments = isTool
        ? params.object("arguments").map(this::masked).orElse("{}")
        : masked(params);
    return new McpRequest(request.method(),
        isTool ? cut(params.text("name").orElse(""), MAX_NAME) : null, cut(arguments, MAX_ARGUMENTS));
  }

  private String masked(JsonObject arguments) {
    Set<String> secrets = catalogue.list().stream().flatMap(intent -> intent.params().stream())
        .filter(Parameter::secret).map(Parameter::name).collect(Collectors.toSet());
    return masked(arguments, secrets);
  }

  private static String masked(JsonObject in, Set<String> secrets) {
    JsonWriter json = JsonWriter.line();
    in.members().forEach((name, value) -> {
      if (secrets.contains(name)) {
        json.put(name, Secrets.MASK);
      } else if (!name.equals("_meta")) {
        json.raw(name, masked(in, value, secrets));
      }
    });
    return json.end();
  }

  private static String masked(JsonObject in, JsonValue value, Set<String> secrets) {
    return switch (value) {
      case JsonObject object -> masked(object, secrets);
      case JsonValue.Items(var values, int _, int _) ->
        values.stream().map(item -> masked(in, item, secrets)).collect(Collectors.joining(",", "[", "]"));
      case JsonValue.Text _,JsonValue.Numeral _,JsonValue.Bool _,JsonValue.Null _ -> in.raw(value);
    };
  }

  private static String cut(String text, int max) {
    return text.codePointCount(0, text.length()) <= max
        ? text
        : text.substring(0, text.offsetByCodePoints(0, max)) + "…";
  }
}
