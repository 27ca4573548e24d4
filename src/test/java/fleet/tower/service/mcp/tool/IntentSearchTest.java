package fleet.tower.service.mcp.tool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.List;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.access.Caller;
import fleet.tower.access.NamePattern;
import fleet.tower.access.Role;
import fleet.tower.platform.InvalidValue;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.service.mcp.tool.ToolsHome.Called;

@DisplayName("Many intents are found by words and run by name")
class IntentSearchTest {
  private static final Caller AGENT = ToolsHome.caller(Role.AGENT);

  @TempDir
  private Path root = Path.of("not-yet");

  private ToolsHome many(IntentOffer.Mode mode) {
    ToolsHome.withSamples(root);
    for (int i = 1; i <= 11; i++) {
      ToolsHome.declare(root, "job-" + i, "Do job " + i, "mode: observe\nsteps: [{ name: one, run: [\"true\"] }]\n");
    }
    return new ToolsHome(root, mode);
  }

  private static List<String> intentTools(ToolsHome tools, Caller caller) {
    return ToolsHome.names(tools.intentTools(caller));
  }

  private static List<String> found(Called search) {
    return search.structured().objects("intents").stream().map(intent -> intent.text("name").orElseThrow()).toList();
  }

  @Test
  @DisplayName("Above 20 intents that the caller may run, two tools replace theirs; a setting decides otherwise")
  void modes() {
    try (ToolsHome tools = many(IntentOffer.Mode.AUTO)) {
      assertThat(intentTools(tools, AGENT)).containsExactly("search_intents", "run_intent");
      assertThat(intentTools(tools, Caller.of("ann", Role.AGENT, List.of(NamePattern.intent("job-*"))))).hasSize(11);
      assertThat(intentTools(tools, ToolsHome.caller(Role.VIEWER))).isEmpty();
    }
    try (ToolsHome tools = new ToolsHome(root, IntentOffer.Mode.EACH)) {
      assertThat(intentTools(tools, AGENT)).hasSize(21).contains("job_11");
    }
    try (ToolsHome tools = new ToolsHome(root, IntentOffer.Mode.SEARCH)) {
      assertThat(intentTools(tools, Caller.of("ann", Role.AGENT, List.of(NamePattern.intent("greet")))))
          .containsExactly("search_intents", "run_intent");
    }
    assertThat(IntentOffer.Mode.of("search")).isEqualTo(IntentOffer.Mode.SEARCH);
    assertThatThrownBy(() -> IntentOffer.Mode.of("serch")).isInstanceOf(InvalidValue.class)
        .hasMessage("tower.mcp.tools must be one of auto, each, search, not 'serch'; did you mean search?");
  }

  @Test
  @DisplayName("Words of names come first, then those of descriptions and parameters; misspelled words are found")
  void search() {
    try (ToolsHome tools = many(IntentOffer.Mode.AUTO)) {
      assertThat(found(tools.call("search_intents", "{\"query\":\"Deploy an app\"}"))).startsWith("deploy-app");
      assertThat(found(tools.call("search_intents", "{\"query\":\"production\"}"))).containsExactly("deploy-app");
      assertThat(found(tools.call("search_intents", "{\"query\":\"trafic\"}"))).containsExactly("move-traffic");
      Called all = tools.call("search_intents", "{}");
      assertThat(found(all)).hasSize(10).startsWith("copy-records", "deploy-app");
      assertThat(all.structured().integer("matches")).hasValue(21);
      assertThat(found(tools.call("search_intents", "{\"limit\":50}"))).hasSize(21);
      assertThat(found(tools.call("search_intents", "{\"query\":\"xylophone\"}"))).isEmpty();
      assertThat(tools.call("search_intents", "{\"limit\":51}").error()).isEqualTo("invalid_params");
      JsonObject greet = tools.call("search_intents", "{\"query\":\"greet\"}").structured().objects("intents")
          .getFirst();
      assertThat(greet.object("input_schema").flatMap(it -> it.object("properties")).orElseThrow().members().keySet())
          .containsExactly("name", "times");
    }
  }

  @Test
  @DisplayName("A found intent runs with the arguments of its schema; a mistake is corrected in the nearest call")
  void runs() {
    try (ToolsHome tools = many(IntentOffer.Mode.AUTO)) {
      Called run = tools.call("run_intent", """
          {"intent":"greet","arguments":{"name":"ann"},"tower_request_id":"g-1"}""");
      Called misspelled = tools.call("run_intent", "{\"intent\":\"gret\",\"arguments\":{\"name\":\"ann\"}}");
      Called wrong = tools.call("run_intent", "{\"intent\":\"greet\",\"arguments\":{\"times\":\"2\"}}");

      assertThat(run.outcome()).isEqualTo("succeeded");
      assertThat(run.structured().text("request_id")).hasValue("g-1");
      assertThat(misspelled.error()).isEqualTo("intent_not_found");
      assertThat(misspelled.next()).containsExactly("run_intent", "search_intents");
      assertThat(tools.perform(AGENT, misspelled.actions().getFirst()).outcome()).isEqualTo("succeeded");
      assertThat(tools.perform(AGENT, misspelled.actions().getLast()).outcome()).isEqualTo("done");
      assertThat(wrong.structured().objects("errors").getFirst().text("pointer")).hasValue("/arguments/times");
      assertThat(tools.perform(AGENT, wrong.actions().getFirst()).outcome()).isEqualTo("succeeded");
    }
  }

  @Test
  @DisplayName("A token limits the intents that are found and run; a secret is repeated in no action")
  void limits() {
    Caller greeter = Caller.of("ann", Role.AGENT, List.of(NamePattern.intent("greet")));
    try (ToolsHome tools = many(IntentOffer.Mode.SEARCH)) {
      assertThat(found(tools.call(greeter, "search_intents", "{}"))).containsExactly("greet");
      Called forbidden = tools.call(greeter, "run_intent", "{\"intent\":\"deploy-app\",\"arguments\":{}}");
      assertThat(forbidden.error()).isEqualTo("forbidden");
      assertThat(tools.perform(greeter, forbidden.actions().getFirst()).outcome()).isEqualTo("done");
      Called secret = tools.call("run_intent", "{\"intent\":\"rotate-kye\",\"arguments\":{\"api_key\":\"hush-hush\"}}");
      assertThat(secret.error()).isEqualTo("intent_not_found");
      assertThat(secret.result().raw()).doesNotContain("hush");
      assertThat(tools.call("run_intent", "{\"intent\":\"rotate-key\",\"arguments\":{\"api_key\":\"hush-hush\"}}")
          .result().raw()).contains("ask an operator to run").doesNotContain("hush");
    }
  }
}
