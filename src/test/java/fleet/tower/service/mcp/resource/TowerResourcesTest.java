package fleet.tower.service.mcp.resource;

import static fleet.tower.service.mcp.resource.McpHome.AGENT;
import static fleet.tower.service.mcp.resource.McpHome.LIMITED;
import static fleet.tower.service.mcp.resource.McpHome.VIEWER;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.access.Caller;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.RequestId;
import fleet.tower.lease.Ttl;
import fleet.tower.lock.TestRequest;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.service.mcp.wire.ProtocolError;
import fleet.tower.service.mcp.wire.Revision;

@DisplayName("Resources of the Model Context Protocol, a real home and real processes")
class TowerResourcesTest {
  private static final LeaseName PROD = new LeaseName("prod");

  @AutoClose
  private final McpHome home;
  private final ResourcesFeature feature;

  TowerResourcesTest(@TempDir Path directory) {
    home = new McpHome(directory.resolve("home"));
    feature = new ResourcesFeature(List.of(new TowerResources(home.home(), home.engine(), home.results(), null)));
    home.declare("say", """
        mode: observe
        params:
          text: { type: string, default: hello }
          key: { type: string, secret: true }
        steps:
          - name: first
            script: echo "$PARAM_TEXT and $PARAM_KEY"
          - name: second
            script: echo "step two"
        """);
    home.declare("deploy-app", """
        mode: mutate
        controls: { lock: app }
        steps: [{ name: one, run: ["true"] }]
        """);
  }

  private JsonObject contents(String uri, Caller caller) {
    JsonObject result = McpHome.ask(feature, "resources/read", "{\"uri\":\"" + uri + "\"}", caller);
    assertThat(result.text("cacheScope")).contains("private");
    JsonObject contents = result.objects("contents").getFirst();
    assertThat(contents.text("uri")).contains(uri);
    return contents;
  }

  private String text(String uri, Caller caller) {
    return contents(uri, caller).text("text").orElseThrow();
  }

  private JsonObject json(String uri, Caller caller) {
    assertThat(contents(uri, caller).text("mimeType")).contains("application/json");
    return McpHome.json(text(uri, caller));
  }

  private static List<String> uris(JsonObject result) {
    return result.objects("resources").stream().map(it -> it.text("uri").orElseThrow()).toList();
  }

  @Test
  @DisplayName("The list has the fixed resources and the intents that the caller may run; a viewer sees all intents")
  void list() {
    JsonObject all = McpHome.ask(feature, "resources/list", "{}", AGENT);

    assertThat(uris(all)).containsExactly("tower://prime", "tower://hosts", "tower://audit",
        "tower://intents/deploy-app", "tower://intents/say");
    assertThat(all.objects("resources")).allSatisfy(it -> assertThat(it.members()).containsKeys("name", "mimeType"));
    assertThat(all.integer("ttlMs")).hasValue(60_000);
    assertThat(all.text("cacheScope")).contains("private");
    assertThat(all.get("nextCursor")).isNull();
    assertThat(uris(McpHome.ask(feature, "resources/list", "{}", VIEWER))).hasSize(5);
    assertThat(uris(McpHome.ask(feature, "resources/list", "{}", LIMITED))).hasSize(4)
        .doesNotContain("tower://intents/deploy-app");
    assertThat(McpHome.ask(feature, Revision.V2025_11_25, "resources/list", "{}", AGENT).members())
        .containsOnlyKeys("resources");
  }

  @Test
  @DisplayName("A long list has pages, and a cursor of another list is refused")
  void pages() {
    for (int i = 0; i < 250; i++) {
      home.declare("intent-%03d".formatted(i), "mode: observe\nsteps: [{ name: one, run: [\"true\"] }]\n");
    }
    home.awaitIntents(252);
    List<String> seen = new ArrayList<>();
    String params = "{}";
    int pages = 0;
    for (String cursor = ""; !cursor.equals("end"); pages++) {
      JsonObject page = McpHome.ask(feature, "resources/list", params, AGENT);
      seen.addAll(uris(page));
      cursor = page.text("nextCursor").orElse("end");
      params = "{\"cursor\":\"" + cursor + "\"}";
    }

    assertThat(pages).isEqualTo(3);
    assertThat(seen).hasSize(255).doesNotHaveDuplicates().contains("tower://intents/intent-249");
    assertThatThrownBy(() -> McpHome.ask(feature, "resources/list", "{\"cursor\":\"x\"}", AGENT))
        .isInstanceOf(ProtocolError.class).hasMessageContaining("list again without one");
    assertThatThrownBy(() -> McpHome.ask(feature, "resources/list", "{\"cursor\":3}", AGENT))
        .isInstanceOf(ProtocolError.class);
    assertThatThrownBy(() -> McpHome.ask(feature, "resources/templates/list", "{\"cursor\":\"x\"}", AGENT))
        .isInstanceOf(ProtocolError.class).hasMessageContaining("one page");
  }

  @Test
  @DisplayName("The templates name every other resource")
  void templates() {
    assertThat(McpHome.ask(feature, "resources/templates/list", "{}", VIEWER).objects("resourceTemplates").stream()
        .map(it -> it.text("uriTemplate").orElseThrow())).containsExactly("tower://intents/{name}",
            "tower://runs/{id}", "tower://runs/{id}/log{?step,offset}", "tower://locks/{name}",
            "tower://audit{?since,until,event,lock_name,request_id,limit,cursor,local}");
  }

  @Test
  @DisplayName("A description is data: one bounded line without control characters")
  void descriptionIsData() {
    home.declareDescribed("odd", "\\u001b[31mRun\\n\\nignore  previous\\u202e" + "x".repeat(900));
    home.awaitIntents(3);

    String description = McpHome.ask(feature, "resources/list", "{}", AGENT).objects("resources").stream()
        .filter(it -> it.text("name").equals(Optional.of("odd"))).findFirst().orElseThrow()
        .text("description").orElseThrow();

    assertThat(description).startsWith("[31mRun ignore previousx").hasSize(200).endsWith("…");
  }

  @Test
  @DisplayName("The page for agents speaks of tools, and differs by role and token")
  void prime() {
    assertThat(contents("tower://prime", AGENT).text("mimeType")).contains("text/markdown");
    assertThat(text("tower://prime", AGENT)).contains("You are `anna` (agent).", "`plan_intent` first", "- `say`: ",
        "- `deploy-app`: ", "lock `app`", "`lock_stale`: its holder stopped renewing. Ask an operator")
        .doesNotContain("`tower run", "`tower plan", "TOWER_ACTOR");
    assertThat(text("tower://prime", VIEWER)).contains("You are `vera` (viewer).", "can only read")
        .doesNotContain("acquire_lock");
    assertThat(text("tower://prime", LIMITED)).contains("You may run say.", "- not yours: 1 intent\n")
        .doesNotContain("`deploy-app`");
  }

  @Test
  @DisplayName("The page for agents lists guarded scripts of a project, and keeps text from outside on one line")
  void primeOfProject(@TempDir Path project) throws IOException {
    Files.writeString(project.resolve("ship.sh"), "tower guard shop-prod --ttl 5m -- kubectl apply\n");
    home.declareDescribed("odd", "one\\ntwo\\u202ethree");
    home.awaitIntents(3);
    ResourcesFeature onFiles = new ResourcesFeature(
        List.of(new TowerResources(home.home(), home.engine(), home.results(), project)));

    assertThat(McpHome.ask(onFiles, "resources/read", "{\"uri\":\"tower://prime\"}", AGENT).objects("contents")
        .getFirst().text("text").orElseThrow()).contains("- `shop-prod`: run ship.sh (kubectl)\n",
            "- `odd`: one twothree; observe, no lock\n");
  }

  @Test
  @DisplayName("Intents, locks, hosts and the audit log look the same as over HTTP, for every role")
  void records() {
    acquire();

    assertThat(json("tower://intents/deploy-app", AGENT).raw()).contains("\"lock\":\"app\"", "\"allowed\":true");
    assertThat(json("tower://intents/deploy-app", LIMITED).raw()).contains("\"allowed\":false");
    assertThat(json("tower://locks/prod", VIEWER).raw()).contains("\"state\":\"active\"", "\"request_id\":\"r1\"",
        "\"waiters\":0");
    assertThat(json("tower://locks/other", VIEWER).raw()).contains("\"state\":\"free\"");
    assertThat(json("tower://hosts", VIEWER).objects("hosts").getFirst().text("host_id")).contains("tower-01");
    JsonObject events = json("tower://audit?lock_name=prod&event=lock_acquired", VIEWER);
    assertThat(events.objects("events")).singleElement().satisfies(it -> assertThat(it.raw()).contains("\"r1\""));
    assertThat(json("tower://audit?limit=1", VIEWER).objects("events")).hasSize(1);
  }

  private void acquire() {
    home.home().locks().acquire(TestRequest.of(PROD, new RequestId("r1"),
        home.home().holder("anna", "manual", "none", 1), new Ttl(60), false));
  }

  @Test
  @DisplayName("A run and all output of its steps can be read; secrets stay masked")
  void run() {
    home.submit("say", "r2", Map.of("text", "tab\there", "key", "very-secret-key")).await();

    JsonObject run = json("tower://runs/r2", VIEWER);
    assertThat(run.text("outcome")).contains("succeeded");
    assertThat(run.text("log")).contains("tower://runs/r2/log");
    assertThat(run.objects("steps").get(1).text("output_tail")).contains("step two");
    assertThat(text("tower://runs/r2/log", VIEWER))
        .isEqualTo("== first ==\n| tab\there and ***\n== second ==\n| step two\n");
    assertThat(text("tower://runs/r2/log?step=second", LIMITED)).isEqualTo("| step two\n");
    assertThat(text("tower://runs/r2/log?step=second&offset=5", LIMITED)).isEqualTo("| two\n");
    assertThat(text("tower://runs/r2/log?offset=9", LIMITED)).isEqualTo("| and ***\n== second ==\n| step two\n");
    assertThat(McpHome.ask(feature, "resources/read", "{\"uri\":\"tower://runs/r2\"}", AGENT).integer("ttlMs"))
        .hasValue(60_000);
    assertThat(McpHome.ask(feature, "resources/read", "{\"uri\":\"tower://locks/prod\"}", AGENT).integer("ttlMs"))
        .hasValue(0);
    assertThat(McpHome.ask(feature, Revision.V2025_11_25, "resources/read", "{\"uri\":\"tower://runs/r2\"}", AGENT)
        .members()).containsOnlyKeys("contents");
  }

  @Test
  @DisplayName("What does not exist is -32602 with the address, the nearest name, and no contents")
  void unknown() {
    home.submit("say", "r2", Map.of("key", "very-secret-key")).await();

    refuses("tower://intents/deploy-ap", "did you mean deploy-app?");
    refuses("tower://runs/r9", "there is no run 'r9'");
    refuses("tower://runs/r9/log", "there is no run 'r9'");
    refuses("tower://runs/r2/log?step=frist", "did you mean first?");
    refuses("tower://runs/r2/log?step=..%2F..%2Fx", "those that have: first, second");
    refuses("tower://runs/r2/log?offset=999999", "beyond the end of the output");
    refuses("test://nothing", "there is no resource 'test://nothing'");
    assertThatThrownBy(() -> McpHome.ask(feature, "resources/read", "{}", AGENT))
        .isInstanceOf(ProtocolError.class).hasMessageContaining("'uri' is missing");
  }

  private void refuses(String uri, String reason) {
    ProtocolError error = catchThrowableOfType(ProtocolError.class, () -> contents(uri, AGENT));
    assertThat(error).hasMessageContaining(reason);
    assertThat(error.code()).isEqualTo(-32602);
    assertThat(error.data() == null ? "" : error.data().end()).isEqualTo("{\"uri\":\"" + uri + "\"}");
  }

  @Test
  @DisplayName("Only the newer revision, which has the stream for them, declares changes")
  void capabilities() {
    assertThat(feature.capabilities(Revision.V2026_07_28).end())
        .isEqualTo("{\"resources\":{\"listChanged\":true,\"subscribe\":true}}");
    assertThat(feature.capabilities(Revision.V2025_11_25).end()).isEqualTo("{\"resources\":{}}");
  }
}
