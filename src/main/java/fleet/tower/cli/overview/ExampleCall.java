package fleet.tower.cli.overview;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import fleet.tower.answer.CommandLine;
import fleet.tower.operation.Given;
import fleet.tower.operation.RunOperations;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonReader;
import fleet.tower.platform.json.JsonWriter;

/**
 * A complete command that runs an intent, with plausible values of its required parameters.
 *
 * @param params the parameters as a JSON Schema
 */
record ExampleCall(String intent, JsonObject params) {

  /** Secrets are given on stdin, because `ps` shows arguments. */
  String command() {
    JsonWriter params = JsonWriter.line();
    JsonWriter secrets = JsonWriter.line();
    boolean hasSecrets = false;
    for (Map.Entry<String, JsonObject> param : required().entrySet()) {
      String value = value(param.getKey(), param.getValue());
      if (IntentPage.isSecret(param.getValue())) {
        secrets.put(param.getKey(), value);
        hasSecrets = true;
      } else {
        params.put(param.getKey(), value);
      }
    }
    String command = CommandLine.of(RunOperations.SUBMIT, Given.NOTHING.with(RunOperations.INTENT, intent)
        .with(RunOperations.PARAMS, JsonReader.readOwn(params.end())));
    return hasSecrets
        ? "printf %s " + CommandLine.quoted(secrets.end()) + " | " + command + " --params-file -"
        : command;
  }

  private Map<String, JsonObject> required() {
    Map<String, JsonObject> required = new TreeMap<>();
    params.object("properties").ifPresent(properties -> params.texts("required")
        .forEach(name -> properties.object(name).ifPresent(schema -> required.put(name, schema))));
    return required;
  }

  private static String value(String name, JsonObject schema) {
    List<String> allowed = IntentPage.words(schema, "enum");
    if (!allowed.isEmpty()) {
      return allowed.getFirst();
    }
    return switch (schema.text("type").orElse("string")) {
      case "boolean" -> "true";
      case "integer", "number" -> number(IntentPage.word(schema, "minimum"), IntentPage.word(schema, "maximum"));
      default -> schema.text("pattern").flatMap(pattern -> new PatternExample(pattern, name).text()).orElse("example");
    };
  }

  private static String number(String minimum, String maximum) {
    if (!minimum.isEmpty()) {
      return minimum;
    }
    return maximum.isEmpty() ? "1" : maximum;
  }
}
