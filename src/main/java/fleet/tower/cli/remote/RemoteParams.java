package fleet.tower.cli.remote;

import java.math.BigDecimal;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

import fleet.tower.intent.Values.Given;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.remote.Server;

/** The parameters for an intent of a service; each value is sent in the type that the intent declares. */
record RemoteParams(Server server, String intent) {

  /** @param secrets receives the names of secret parameters that are given on the command line */
  JsonWriter json(Map<String, Given> given, Consumer<String> secrets) {
    if (given.isEmpty()) {
      return JsonWriter.line();
    }
    JsonObject properties = server.get("/intents/" + Server.part(intent)).json().object("params")
        .flatMap(schema -> schema.object("properties")).orElse(null);
    return typed(given, name -> {
      Optional<JsonObject> wanted = properties == null ? Optional.empty() : properties.object(name);
      Given value = given.get(name);
      if (value != null && value.kind() == Given.Kind.WORD
          && wanted.filter(it -> LockReader.isTrue(it, "writeOnly")).isPresent()) {
        secrets.accept(name);
      }
      return wanted.flatMap(it -> it.text("type")).orElse("string");
    });
  }

  /** @param types the declared types by name */
  static JsonWriter typed(Map<String, Given> given, UnaryOperator<String> types) {
    JsonWriter params = JsonWriter.line();
    given.forEach((name, value) -> params.raw(name, literal(value, types.apply(name))));
    return params;
  }

  private static String literal(Given given, String type) {
    return switch (given.kind()) {
      case STRING -> JsonWriter.quote(given.text());
      case NUMBER, BOOLEAN, OTHER -> given.text();
      case WORD -> isLiteral(given.text(), type) ? given.text() : JsonWriter.quote(given.text());
    };
  }

  private static boolean isLiteral(String text, String type) {
    return switch (type) {
      case "boolean" -> text.equals("true") || text.equals("false");
      case "integer", "number" -> isNumber(text);
      default -> false;
    };
  }

  private static boolean isNumber(String text) {
    try {
      return text.matches("-?(?:0|[1-9]\\d*)(?:\\.\\d+)?(?:[eE][+-]?\\d+)?") && new BigDecimal(text).scale() < 1000;
    } catch (NumberFormatException tooLarge) {
      return false;
    }
  }
}
