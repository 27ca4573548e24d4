package fleet.tower.answer;

import java.util.LinkedHashMap;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import fleet.tower.operation.Ask;
import fleet.tower.platform.json.JsonWriter;

/**
 * An action that the caller of a refused request may take now, complete as it stands: a call over HTTP, a command, or
 * both; or a call of a tool. One with none of them is advice: only its {@code why} describes what to do.
 *
 * @param body the JSON to send; null for none
 * @param headers the headers that belong to the request, such as its {@code Idempotency-Key}
 * @param arguments the arguments of the tool as JSON; null without a tool
 */
public record NextAction(@Nullable String method, @Nullable String href, Map<String, String> headers,
    @Nullable String body, @Nullable String command, @Nullable String tool, @Nullable String arguments, String why) {
  /** Stands for an id that the caller must choose; the only placeholder in any action. */
  public static final String NEW = "NEW";

  public NextAction {
    headers = Map.copyOf(headers);
  }

  /**
   * A call of a tool.
   *
   * @param arguments its arguments as JSON
   */
  public static NextAction tool(String tool, String arguments, String why) {
    return new NextAction(null, null, Map.of(), null, null, tool, arguments, why);
  }

  /** A call of the tool of an operation. */
  public static NextAction tool(Ask ask, String why) {
    return tool(ask.operation().toolName(), ask.arguments().end(), why);
  }

  /** A call that only reads, and the command that shows the same; null if there is none. */
  public static NextAction read(String href, @Nullable String command, String why) {
    return new NextAction("GET", href, Map.of(), null, command, null, null, why);
  }

  /** A command without an equivalent call. */
  public static NextAction command(String command, String why) {
    return new NextAction(null, null, Map.of(), null, command, null, null, why);
  }

  /** What to do, when there is nothing to send or type. */
  public static NextAction advice(String why) {
    return new NextAction(null, null, Map.of(), null, null, null, null, why);
  }

  /** The same action with another command. */
  public NextAction typed(String other) {
    return new NextAction(method, href, headers, body, other, tool, arguments, why);
  }

  /** A reason that explains {@link #NEW} if the action has it. */
  public static String explained(String why, boolean hasNew) {
    return hasNew ? why + "; " + NEW + " is an id that you choose" : why;
  }

  boolean isAdvice() {
    return method == null && command == null && tool == null;
  }

  /** The action as one line for people. */
  public String line() {
    if (tool != null) {
      return why + ": " + tool + " " + arguments;
    }
    return command == null ? why : why + ": " + command;
  }

  /** The action as JSON. */
  public String json() {
    JsonWriter json = JsonWriter.line();
    Map<String, @Nullable String> call = new LinkedHashMap<>();
    call.put("method", method);
    call.put("href", href);
    call.forEach((member, value) -> {
      if (value != null) {
        json.put(member, value);
      }
    });
    if (!headers.isEmpty()) {
      JsonWriter sent = JsonWriter.line();
      headers.entrySet().stream().sorted(Map.Entry.comparingByKey())
          .forEach(it -> sent.put(it.getKey(), it.getValue()));
      json.put("headers", sent);
    }
    if (body != null) {
      json.raw("body", body);
    }
    if (command != null) {
      json.put("command", command);
    }
    if (tool != null) {
      json.put("tool", tool).raw("arguments", arguments == null ? "{}" : arguments);
    }
    return json.put("why", why).end();
  }
}
