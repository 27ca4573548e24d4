package fleet.tower.service.web.http;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import fleet.tower.answer.CommandLine;
import fleet.tower.platform.json.JsonException;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonReader;
import fleet.tower.platform.json.JsonValue;
import jakarta.servlet.http.HttpServletRequest;

/** The command that does the same as a call; none if no command takes all that the call sends. */
final class HttpCommand {
  private static final int MINUTE = 60;
  /** The options that do not have the words of their members. */
  private static final Map<String, String> OPTIONS = Map.of("ttl_seconds", "--ttl", "wait_seconds", "--wait",
      "fencing_token", "--token");
  private static final List<String> IN_SECONDS = List.of("ttl_seconds", "wait_seconds");
  private static final List<String> FLAGS = List.of("force_lock", "queue");

  /** A command that takes one operand and some of the members. */
  private record Known(String words, List<String> members) {}

  private static final List<String> RUN = List.of("params", "request_id", "force_lock", "wait_seconds", "queue",
      "plan_hash");
  private static final Map<String, Known> CALLS = calls();

  private HttpCommand() {}

  private static Map<String, Known> calls() {
    Map<String, Known> calls = new HashMap<>();
    calls.put("POST intents", new Known("run", RUN));
    calls.put("POST intents plan", new Known("plan", RUN));
    calls.put("POST runs cancel", new Known("cancel", List.of()));
    calls.put("GET runs", new Known("runs", List.of()));
    calls.put("GET intents", new Known("intents", List.of()));

    return calls;
  }

  /** @param members the members of the body, as JSON */
  static Optional<String> of(String method, String path, HttpServletRequest request, Map<String, String> members) {
    String[] parts = path.split("/", -1);
    Known known = parts.length < 3 || parts.length > 4
        ? null
        : CALLS.get(method + " " + parts[1] + (parts.length == 4 ? " " + parts[3] : ""));
    if (known == null) {
      return Optional.empty();
    }
    Map<String, String> sent = new LinkedHashMap<>(members);
    request.getParameterMap().forEach((name, values) -> sent.put(name, values[0]));
    CommandLine line = new CommandLine(known.words()).operand(decoded(parts[2]));
    for (Map.Entry<String, String> member : sent.entrySet()) {
      if (!known.members().contains(member.getKey()) || !add(line, known, member.getKey(), member.getValue())) {
        return Optional.empty();
      }
    }
    return Optional.of(line.toString());
  }

  private static String decoded(String part) {
    return URLDecoder.decode(part.replace("+", "%2B"), StandardCharsets.UTF_8);
  }

  private static boolean add(CommandLine line, Known known, String member, String json) {
    Optional<String> value = text(json);
    if (member.equals("params")) {
      return json.equals("null") || params(line, json);
    }
    String option = OPTIONS.getOrDefault(member, "--" + member.replace('_', '-'));
    if (known.words().equals("plan") && !member.equals("force_lock")) {
      return true; // A plan depends on the parameters and on force alone.
    }
    if (FLAGS.contains(member)) {
      if (json.equals("true")) {
        line.flag(option);
      }
    } else if (value.isPresent() && !(member.equals("wait_seconds") && json.equals("0"))) {
      line.option(option, IN_SECONDS.contains(member) ? span(value.get()) : value.get());
    }
    return true;
  }

  /** A number of seconds in the largest unit that fits. */
  private static String span(String seconds) {
    if (!seconds.matches("[1-9]\\d{0,8}") || Long.parseLong(seconds) % MINUTE != 0) {
      return seconds + "s";
    }
    long minutes = Long.parseLong(seconds) / MINUTE;
    return minutes % MINUTE == 0 ? minutes / MINUTE + "h" : minutes + "m";
  }

  private static boolean params(CommandLine line, String json) {
    try {
      JsonObject params = JsonReader.readObject(json);
      for (Map.Entry<String, JsonValue> param : params.members().entrySet()) {
        Optional<String> value = text(params.raw(param.getValue()));
        if (value.isEmpty() || param.getKey().contains("=") || param.getKey().isEmpty()) {
          return false;
        }
        line.option("-p", param.getKey() + "=" + value.get());
      }
      return true;
    } catch (JsonException e) {
      return false;
    }
  }

  /** A text, number or truth value as the command line accepts it. */
  private static Optional<String> text(String json) {
    try {
      JsonObject one = JsonReader.readObject("{\"v\":" + json + "}");
      return switch (one.get("v")) {
        case JsonValue.Text text -> Optional.of(text.value());
        case JsonValue.Numeral number -> Optional.of(number.literal());
        case JsonValue.Bool bool -> Optional.of(Boolean.toString(bool.value()));
        case JsonObject _,JsonValue.Items _,JsonValue.Null _ -> Optional.empty();
        case null -> Optional.empty();
      };
    } catch (JsonException e) {
      return Optional.of(json);
    }
  }
}
