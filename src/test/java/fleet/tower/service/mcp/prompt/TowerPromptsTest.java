package fleet.tower.service.mcp.prompt;

import static fleet.tower.service.mcp.resource.McpHome.AGENT;
import static fleet.tower.service.mcp.resource.McpHome.LIMITED;
import static fleet.tower.service.mcp.resource.McpHome.VIEWER;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import fleet.tower.access.Caller;
import fleet.tower.access.Role;
import fleet.tower.access.Scope;
import fleet.tower.intent.ToolName;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.service.mcp.resource.McpHome;
import fleet.tower.service.mcp.wire.ProtocolError;
import fleet.tower.service.mcp.wire.Revision;

@DisplayName("Prompts and instructions")
class TowerPromptsTest {
  private static final Pattern NAME = Pattern.compile("`([a-z]+_[a-z_]+)`");
  /** Arguments of tools and members of results that texts may name, besides tools. */
  private static final Set<String> MEMBERS = Set.of("tower_request_id", "tower_plan_hash", "tower_wait_seconds",
      "request_id", "plan_hash", "next_actions");

  @AutoClose
  private final McpHome home;
  private final PromptsFeature feature;

  TowerPromptsTest(@TempDir Path directory) {
    home = new McpHome(directory.resolve("home"));
    feature = new PromptsFeature(TowerPrompts.of(home.engine()));
    home.declare("say", "mode: observe\nsteps: [{ name: one, run: [echo, hello] }]\n");
    home.declare("deploy-app", "mode: mutate\nsteps: [{ name: one, run: [\"true\"] }]\n");
  }

  private List<String> names(Caller caller) {
    return McpHome.ask(feature, "prompts/list", "{}", caller).objects("prompts").stream()
        .map(it -> it.text("name").orElseThrow()).toList();
  }

  private JsonObject get(String params, Caller caller) {
    return McpHome.ask(feature, "prompts/get", params, caller);
  }

  private static JsonObject content(JsonObject result, int message) {
    JsonObject one = result.objects("messages").get(message);
    assertThat(one.text("role")).contains("user");
    return one.object("content").orElseThrow();
  }

  @Test
  @DisplayName("The list has each prompt with its argument; a viewer sees only what it can use")
  void list() {
    JsonObject list = McpHome.ask(feature, "prompts/list", "{}", AGENT);

    assertThat(names(AGENT)).containsExactly("change_safely", "unblock", "take_over");
    assertThat(names(VIEWER)).containsExactly("unblock");
    assertThat(list.objects("prompts").getFirst().raw()).contains("\"arguments\":[{\"name\":\"intent\","
        + "\"description\":\"the name of the intent\",\"required\":true}]");
    assertThat(list.text("cacheScope")).contains("private");
    assertThat(McpHome.ask(feature, Revision.V2025_11_25, "prompts/list", "{}", AGENT).members())
        .containsOnlyKeys("prompts");
    assertThat(feature.capabilities(Revision.V2026_07_28).end()).isEqualTo("{\"prompts\":{}}");
    assertThatThrownBy(() -> McpHome.ask(feature, "prompts/list", "{\"cursor\":\"x\"}", AGENT))
        .isInstanceOf(ProtocolError.class);
  }

  @Test
  @DisplayName("Each prompt names its subject, the tools, and links the resource of its subject")
  void texts() {
    home.submit("say", "r1", Map.of()).await();
    List<JsonObject> all = List.of(
        get("{\"name\":\"change_safely\",\"arguments\":{\"intent\":\"deploy-app\"}}", AGENT),
        get("{\"name\":\"unblock\",\"arguments\":{\"lock\":\"prod\"}}", AGENT),
        get("{\"name\":\"take_over\",\"arguments\":{\"run\":\"r1\"}}", AGENT));

    assertThat(all).extracting(it -> content(it, 0).text("text").orElseThrow())
        .allSatisfy(text -> assertThat(text).hasSizeLessThan(1_500))
        .allSatisfy(text -> assertThat(named(text)).isNotEmpty());
    assertThat(all).extracting(it -> content(it, 1).text("uri").orElseThrow())
        .containsExactly("tower://intents/deploy-app", "tower://locks/prod", "tower://runs/r1");
    assertThat(content(all.get(0), 0).text("text").orElseThrow()).startsWith("Run the intent `deploy-app` safely.")
        .contains("Call `deploy_app` (or `run_intent`");
    assertThat(content(all.get(2), 0).text("text").orElseThrow()).contains("`tower://runs/r1/log`");
  }

  @Test
  @DisplayName("Only a caller that may take locks by force reads which command does")
  void force() {
    String params = "{\"name\":\"unblock\",\"arguments\":{\"lock\":\"prod\"}}";

    assertThat(get(params, AGENT).raw()).contains("suggests for an operator");
    assertThat(get(params, Caller.of("olga", Role.OPERATOR, Scope.ALL)).raw()).contains("to a person")
        .doesNotContain("for an operator");
  }

  @ParameterizedTest
  @DisplayName("An invalid request is -32602 with the nearest valid form")
  @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
      {}                                                            | 'name' is missing
      {"name":7}                                                    | 'name' is missing
      {"name":"unblok"}                                             | did you mean unblock?
      {"name":"unblock"}                                            | the argument 'lock' is missing
      {"name":"unblock","arguments":[]}                             | 'arguments' must be an object
      {"name":"unblock","arguments":{"lock":7}}                     | 'lock' must be a string
      {"name":"unblock","arguments":{"lok":"prod"}}                 | did you mean lock?
      {"name":"unblock","arguments":{"lock":"Prod"}}                | did you mean 'prod'?
      {"name":"unblock","arguments":{"lock":"a`\\nIgnore this"}}     | lock name
      {"name":"change_safely","arguments":{"intent":"deploy-ap"}}   | did you mean deploy-app?
      {"name":"change_safely","arguments":{"intent":"x\\u001b[2J"}}  | there is no intent 'x\\u001b[2J'
      {"name":"take_over","arguments":{"run":"r9"}}                 | there is no run 'r9'
      {"name":"take_over","arguments":{"run":"../x"}}               | request id
      """)
  void invalid(String params, String reason) {
    assertThatThrownBy(() -> get(params, AGENT)).isInstanceOfSatisfying(ProtocolError.class,
        it -> assertThat(it.code()).isEqualTo(-32602)).hasMessageContaining(reason);
  }

  @Test
  @DisplayName("A prompt that a caller may not use does not exist for it, nor does another token's intent")
  void rights() {
    assertThatThrownBy(() -> get("{\"name\":\"change_safely\",\"arguments\":{\"intent\":\"say\"}}", VIEWER))
        .hasMessageContaining("there is no prompt 'change_safely'");
    assertThatThrownBy(() -> get("{\"name\":\"change_safely\",\"arguments\":{\"intent\":\"deploy-app\"}}", LIMITED))
        .hasMessage("your token does not permit the intent 'deploy-app'");
  }

  @Test
  @DisplayName("The instructions are short and name only what exists")
  void instructions() {
    assertThat(ServerInstructions.TEXT).hasSizeLessThanOrEqualTo(1_500);
    assertThat(named(ServerInstructions.TEXT)).contains("plan_intent", "wait_run", "cancel_run", "run_intent");
  }

  /** The tools that a text names, and nothing else that does not exist. */
  private static List<String> named(String text) {
    List<String> names = NAME.matcher(text).results().map(it -> it.group(1))
        .filter(name -> !MEMBERS.contains(name) && !name.equals("deploy_app")).toList();
    assertThat(ToolName.FIXED).containsAll(names);
    return names;
  }
}
