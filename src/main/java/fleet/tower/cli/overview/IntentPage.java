package fleet.tower.cli.overview;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

import fleet.tower.answer.Reply;
import fleet.tower.answer.Table;
import fleet.tower.cli.shell.Asking;
import fleet.tower.intent.Effect;
import fleet.tower.intent.Labels;
import fleet.tower.operation.Given;
import fleet.tower.operation.RunOperations;
import fleet.tower.platform.Exit;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonValue;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.platform.time.TimeSpans;
import fleet.tower.run.RunStatus;

/**
 * One intent for a caller who wants to run it.
 *
 * @param usual the median duration of its latest successful runs; empty if there are none
 */
record IntentPage(JsonObject intent, Optional<Duration> usual) {
  private static final long RUNS_TO_MEASURE = 20;

  static IntentPage of(String name, Asking asking) {
    JsonObject intent = asking.ask(RunOperations.VIEW_INTENT, Given.NOTHING.with(RunOperations.INTENT, name));
    List<Duration> durations = asking.ask(RunOperations.LIST, Given.NOTHING.with(RunOperations.OF_INTENT, name)
        .with(RunOperations.STATUS, RunStatus.SUCCEEDED.toString()).with(RunOperations.LIMIT, RUNS_TO_MEASURE))
        .objects("runs").stream().flatMap(run -> RunTable.duration(run, Instant.EPOCH).stream()).sorted().toList();
    return new IntentPage(intent,
        durations.isEmpty() ? Optional.empty() : Optional.of(durations.get(durations.size() / 2)));
  }

  Reply reply() {
    String example = new ExampleCall(text("name"), params()).command();
    JsonWriter json = JsonWriter.line().members(intent);
    usual.ifPresent(duration -> json.put("usual_duration_ms", duration.toMillis()));
    Reply reply = Reply.of(Exit.DONE, json.put("example", example));
    reply.data(text("name") + " " + text("version") + ", " + text("mode")
        + (text("description").isEmpty() ? "" : ": " + text("description")));
    intent.text("effect").filter(Effect::isSaid).ifPresent(effect -> reply.data("  effect    " + effect));
    reply.data("  lock      " + intent.text("lock").orElse("none"));
    intent.texts("respect").forEach(lock -> reply.data("  respects  " + lock));
    intent.texts("exclusive").forEach(lock -> reply.data("  holds     " + lock));
    List<String> labels = intent.texts("runs_on");
    if (!labels.isEmpty()) {
      reply.data("  runs on   hosts with the " + Labels.describe(labels));
    }
    intent.text("digest").ifPresent(digest -> reply.data("  digest    " + digest));
    intent.text("schedule").ifPresent(schedule -> reply.data("  schedule  " + schedule));
    usual.ifPresent(duration -> reply.data("  usually   takes " + TimeSpans.precise(duration)));
    table().forEach(line -> reply.data("  " + line));
    return reply.data("  example   " + example);
  }

  private JsonObject params() {
    return intent.object("params").orElseThrow(() -> new IllegalStateException("an intent without params"));
  }

  private List<String> table() {
    List<String> required = params().texts("required");
    List<List<String>> rows = new ArrayList<>();
    rows.add(List.of("PARAMETER", "TYPE", "REQUIRED", "DEFAULT", "ALLOWED", "DESCRIPTION"));
    params().object("properties").ifPresent(properties -> properties.members().keySet().forEach(name -> {
      JsonObject schema = properties.object(name).orElseThrow();
      rows.add(List.of(name, schema.text("type").orElse("") + (isSecret(schema) ? ", secret" : ""),
          required.contains(name) ? "yes" : "no", word(schema, "default"), allowed(schema),
          schema.text("description").orElse("")));
    }));
    return rows.size() == 1 ? List.of("no parameters") : Table.lines(rows);
  }

  static boolean isSecret(JsonObject schema) {
    return schema.isTrue("writeOnly");
  }

  private static String allowed(JsonObject schema) {
    String values = String.join(", ", words(schema, "enum"));
    String range = range(word(schema, "minimum"), word(schema, "maximum"));
    String pattern = schema.text("pattern").map(it -> it.replaceAll("^\\^\\(\\?:(.*)\\)\\$$", "$1")).orElse("");
    return String.join("; ", Stream.of(values, range, pattern).filter(it -> !it.isEmpty()).toList());
  }

  private static String range(String minimum, String maximum) {
    if (minimum.isEmpty()) {
      return maximum.isEmpty() ? "" : "at most " + maximum;
    }
    return maximum.isEmpty() ? "at least " + minimum : minimum + " to " + maximum;
  }

  static List<String> words(JsonObject schema, String key) {
    return schema.items(key).stream().map(value -> word(schema, value)).toList();
  }

  static String word(JsonObject schema, String key) {
    JsonValue value = schema.get(key);
    return value == null ? "" : word(schema, value);
  }

  private static String word(JsonObject schema, JsonValue value) {
    return value instanceof JsonValue.Text text ? text.value() : schema.raw(value);
  }

  private String text(String key) {
    return intent.text(key).orElse("");
  }
}
