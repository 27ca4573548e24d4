package fleet.tower.service.web.http;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

import fleet.tower.answer.CommonProblems;
import fleet.tower.answer.RefusedCall;
import fleet.tower.operation.Arg;
import fleet.tower.operation.Arg.Via;
import fleet.tower.operation.Given;
import fleet.tower.operation.Kind;
import fleet.tower.operation.Operation;
import fleet.tower.platform.json.JsonException;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonReader;
import fleet.tower.platform.json.JsonValue;
import fleet.tower.platform.text.Nearest;
import jakarta.servlet.http.HttpServletRequest;

/**
 * Reads the arguments of a call from its path, and from its query or its body: UTF-8, one JSON object, each key once,
 * known members only. A missing body is an empty object, and a member that is null is absent.
 */
final class HttpArguments {
  private static final int MAX_SHOWN = 40;
  private HttpArguments() {}

  /** @param inPath the values of the path's variables */
  static Given read(Operation operation, Map<String, String> inPath, HttpServletRequest request) throws IOException {
    Given given = Given.NOTHING;
    List<String> values = operation.variables().stream().map(inPath::get).toList();
    for (int i = 0; i < values.size(); i++) {
      given = text(given, operation.inPath().get(i), values.get(i));
    }
    for (Arg<?> arg : operation.at(Via.HEADER).toList()) {
      List<String> headers = Collections.list(request.getHeaders(arg.name()));
      given = headers.isEmpty() ? given : text(given, arg, String.join(", ", headers).strip());
    }
    boolean hasBody = operation.method().hasBody();
    given = hasBody ? body(operation, given, request) : query(operation, given, new Query(request));
    for (Arg<?> arg : operation.besidesPath()) {
      if (arg.isRequired() && !given.has(arg)) {
        throw missing(arg, hasBody);
      }
    }
    return given;
  }

  private static Given query(Operation operation, Given inPath, Query query) {
    List<Arg<?>> known = operation.besidesPath();
    query.allow(known.stream().map(Arg::name).toArray(String[]::new));
    Given given = inPath;
    for (Arg<?> arg : known) {
      Optional<String> text = query.text(arg.name());
      given = text.isPresent() ? text(given, arg, text.get()) : given;
    }
    return given;
  }

  private static <T> Given text(Given given, Arg<T> arg, String text) {
    return with(given, arg, arg.kind().read(text), text);
  }

  private static <T> Given with(Given given, Arg<T> arg, @Nullable T value, String shown) {
    if (value == null) {
      throw CommonProblems.wrong(arg, shown);
    }
    return given.with(arg, value);
  }

  private static Given body(Operation operation, Given inPath, HttpServletRequest request) throws IOException {
    String text = decoded(RawBody.read(request));
    JsonObject body = json(text);
    List<Arg<?>> known = operation.besidesPath();
    Given given = inPath;
    for (Map.Entry<String, JsonValue> member : body.members().entrySet()) {
      requireKnown("member", member.getKey(), known.stream().map(Arg::name).toList());
      Arg<?> arg = operation.arg(member.getKey()).orElseThrow();
      given = member(given, arg, member.getValue(), body);
    }
    return given;
  }

  private static <T> Given member(Given given, Arg<T> arg, JsonValue json, JsonObject body) {
    if (json instanceof JsonValue.Null && !(arg.kind() instanceof Kind.Json)) {
      return given;
    }
    T value = arg.kind().read(json, body);
    if (value == null && json instanceof JsonValue.Text(String text, var _, var _) && text.indexOf('\0') >= 0) {
      throw CommonProblems.invalid(arg.name(), "'" + arg.name() + "' must be a string without the character U+0000",
          "omit the character");
    }
    if (value == null && !isShown(arg)) {
      throw CommonProblems.invalid(arg.name(), "'" + arg.name() + "' must be " + arg.kind().expected() + ", not "
          + kind(json), "correct the value or omit '" + arg.name() + "'");
    }
    return with(given, arg, value, body.raw(json));
  }

  /** A value that is no object may be the secret that belongs inside. */
  private static boolean isShown(Arg<?> arg) {
    return !(arg.kind() instanceof Kind.Members);
  }

  /** Refuses overlong UTF-8, UTF-16 and a byte order mark. */
  private static String decoded(byte[] bytes) {
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    } catch (CharacterCodingException e) {
      throw notJson("not valid UTF-8");
    }
  }

  private static JsonObject json(String text) {
    try {
      return JsonReader.readObject(text.isEmpty() ? "{}" : text);
    } catch (JsonException e) {
      throw notJson(String.valueOf(e.getMessage()));
    }
  }

  private static RefusedCall notJson(String problem) {
    return new RefusedCall(HttpProblems.malformed("the body is not a JSON object: " + problem));
  }

  private static RefusedCall missing(Arg<?> arg, boolean hasBody) {
    return hasBody
        ? CommonProblems.invalid(arg.name(), "'" + arg.name() + "' is missing",
            "send it as " + arg.kind().expected() + " in the body")
        : CommonProblems.invalid(arg.name(), "the parameter '" + arg.name() + "' is missing",
            "append ?" + arg.name() + "=… to the path");
  }

  static void requireKnown(String what, String key, List<String> names) {
    if (!names.contains(key)) {
      throw CommonProblems.invalid(key, "there is no " + what + " " + shown(key), Nearest.of(key, names)
          .map(name -> "did you mean '" + name + "'?")
          .orElse(names.isEmpty() ? "omit it" : "use one of " + String.join(", ", names)));
    }
  }

  private static String kind(JsonValue value) {
    return switch (value) {
      case JsonObject _ -> "an object";
      case JsonValue.Items _ -> "a list";
      case JsonValue.Text _ -> "a string";
      case JsonValue.Numeral _ -> "a number";
      case JsonValue.Bool _ -> "true or false";
      case JsonValue.Null _ -> "null";
    };
  }

  private static String shown(String text) {
    return text.length() <= MAX_SHOWN ? "'" + text + "'" : "'" + text.substring(0, MAX_SHOWN) + "…'";
  }
}
