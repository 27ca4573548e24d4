package fleet.tower.service.mcp.tool;

import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

import fleet.tower.access.Caller;
import fleet.tower.intent.Intent;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.platform.text.Nearest;
import fleet.tower.service.mcp.wire.Exchange;

/** The tool that finds intents by words. */
final class SearchIntents implements Tool {
  static final String NAME = "search_intents";
  static final String QUERY = "query";
  private static final int USUAL = 10;
  private static final int MOST = 50;

  private final IntentTools intents;

  SearchIntents(IntentTools intents) {
    this.intents = intents;
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public JsonWriter definition() {
    return JsonWriter.line().put("name", NAME)
        .put("description", "Finds intents by words in their names, descriptions and parameters, best first, with the"
            + " schemas of their arguments. Call one with run_intent.")
        .raw("inputSchema", """
            {"type":"object","properties":{"query":{"type":"string","maxLength":1000,"description":"empty for all"},\
            "limit":{"type":"integer","minimum":1,"maximum":%d,"default":%d}},"additionalProperties":false}"""
            .formatted(MOST, USUAL))
        .raw("outputSchema", """
            {"type":"object","properties":{"outcome":{"enum":["done","refused"]},"intents":{"type":"array"},\
            "matches":{"type":"integer"}},"required":["outcome"]}""")
        .raw("annotations", "{\"readOnlyHint\":true,\"openWorldHint\":false}");
  }

  @Override
  public ToolResult call(JsonObject arguments, Exchange exchange) {
    Caller caller = exchange.caller();
    List<Intent> matches = matches(arguments.text(QUERY).orElse(""), intents.offer().allowed(caller));
    List<Intent> shown = matches.stream().limit(arguments.integer("limit").orElse(USUAL)).toList();
    return ToolResult.Complete.of(false, sentence(shown, matches.size()), JsonWriter.line().put("outcome", "done")
        .list("intents", shown.stream().map(intent -> json(intents.tool(intent, caller), intent)).toList())
        .put("matches", matches.size()));
  }

  private static String json(IntentTool tool, Intent intent) {
    return JsonWriter.line().put("name", intent.name()).put("description", tool.description())
        .put("input_schema", tool.schema().ofParams()).end();
  }

  private static String sentence(List<Intent> shown, int matches) {
    if (shown.isEmpty()) {
      return "No intent matches; search with other words, or with an empty query for all.";
    }
    return shown.size() + " of " + matches + " matching intents: "
        + String.join(", ", shown.stream().map(Intent::name).toList());
  }

  private static List<Intent> matches(String query, List<Intent> intents) {
    List<String> words = words(query);
    if (words.isEmpty()) {
      return intents;
    }
    List<Intent> found = intents.stream().filter(intent -> score(words, intent) > 0)
        .sorted(Comparator.comparingInt((Intent intent) -> -score(words, intent))).toList();
    return found.isEmpty()
        ? intents.stream().filter(intent -> words.stream()
            .anyMatch(word -> !Nearest.all(word, words(text(intent))).isEmpty())).toList()
        : found;
  }

  private static int score(List<String> words, Intent intent) {
    String text = text(intent);
    return words.stream().mapToInt(word -> (intent.name().contains(word) ? 3 : 0) + (text.contains(word) ? 1 : 0))
        .sum();
  }

  private static String text(Intent intent) {
    StringBuilder text = new StringBuilder(intent.name()).append(' ').append(intent.metadata().description());
    intent.params().stream().filter(param -> !param.secret()).forEach(param -> text.append(' ').append(param.name())
        .append(' ').append(param.description()).append(' ').append(String.join(" ", param.limits().allowed())));
    return text.toString().toLowerCase(Locale.ROOT);
  }

  private static List<String> words(String text) {
    return Arrays.stream(text.toLowerCase(Locale.ROOT).split("[^\\p{L}\\p{N}]+", -1)).filter(word -> !word.isEmpty())
        .distinct().toList();
  }
}
