package fleet.tower.cli.remote;

import java.math.BigDecimal;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import fleet.tower.answer.RefusedCommand;
import fleet.tower.cli.shell.Asking;
import fleet.tower.intent.Values;
import fleet.tower.operation.Given;
import fleet.tower.operation.RunOperations;
import fleet.tower.platform.ErrorCode;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonWriter;

/** The parameters for an intent of a service; each value is sent in the type that the intent declares. */
public record RemoteParams(Asking asking, String intent) {

  /**
   * The parameters as the members of an object.
   *
   * @param secrets receives the names of secret parameters that are given on the command line
   */
  public JsonWriter json(Map<String, Values.Given> given, Consumer<String> secrets) {
    JsonWriter params = JsonWriter.line();
    if (given.isEmpty()) {
      return params;
    }
    JsonObject properties = properties();
    given.forEach((name, value) -> {
      Optional<JsonObject> wanted = properties == null ? Optional.empty() : properties.object(name);
      if (value.kind() == Values.Given.Kind.WORD
          && wanted.filter(it -> it.isTrue("writeOnly")).isPresent()) {
        secrets.accept(name);
      }
      params.raw(name, literal(value, wanted.flatMap(it -> it.text("type")).orElse("string")));
    });
    return params;
  }

  /** Null for an intent that does not exist, which the request itself reports. */
  private @Nullable JsonObject properties() {
    try {
      return asking.ask(RunOperations.VIEW_INTENT, Given.NOTHING.with(RunOperations.INTENT, intent)).object("params")
          .flatMap(schema -> schema.object("properties")).orElse(null);
    } catch (RefusedCommand refusal) {
      if (refusal.is(ErrorCode.INTENT_NOT_FOUND)) {
        return null;
      }
      throw refusal;
    }
  }

  private static String literal(Values.Given given, String type) {
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
