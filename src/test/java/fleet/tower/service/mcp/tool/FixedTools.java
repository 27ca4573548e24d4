package fleet.tower.service.mcp.tool;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import com.networknt.schema.InputFormat;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;

import fleet.tower.access.Caller;
import fleet.tower.access.Role;
import fleet.tower.access.Scope;
import fleet.tower.home.Home;
import fleet.tower.lease.Door;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.service.mcp.tool.ToolsHome.Called;
import fleet.tower.service.mcp.wire.Revision;
import fleet.tower.service.mcp.wire.TestExchange;

/**
 * All tools on the files of a home. Every result is compared with the output schema of its tool, and names neither a
 * path of the home nor, as its suggestion, a command that its caller would have to run.
 */
final class FixedTools implements AutoCloseable {
  static final Caller ANN = caller("ann", Role.AGENT);
  static final Caller BOB = caller("bob", Role.AGENT);
  static final Caller VIC = caller("vic", Role.VIEWER);
  private static final SchemaRegistry SCHEMAS = SchemaRegistry
      .withDefaultDialect(SpecificationVersion.DRAFT_2020_12);

  private static final String REQUEST_TO_OPERATOR = "ask an operator to run: .*";
  private static final String OTHER_DOORS = "--[a-z]|tower [a-z]+ |(GET|POST|DELETE) /|force-release|use unfreeze";

  final Home home;
  private final Path root;
  private final ToolsHome tools;

  FixedTools(Path root) {
    this(root, "45s");
  }

  /** @param answerWithin the longest wait of one call */
  FixedTools(Path root, String answerWithin) {
    this(root, Map.of("TOWER_MCP_ANSWER_WITHIN", answerWithin));
  }

  /** @param settings further settings, as variables of the environment */
  FixedTools(Path root, Map<String, String> settings) {
    this.root = root;
    tools = new ToolsHome(root, IntentOffer.Mode.AUTO, settings);
    home = tools.home;
  }

  static Caller caller(String name, Role role) {
    return Caller.of(name, role, Scope.ALL).through(Door.MCP);
  }

  List<JsonObject> list(Caller caller) {
    return tools.list(caller);
  }

  List<String> names(Caller caller) {
    return ToolsHome.names(list(caller));
  }

  static TestExchange exchange(Caller caller, String tool, String arguments) {
    return ToolsHome.exchange(caller, Revision.V2026_07_28, "tools/call",
        "{\"name\":\"" + tool + "\",\"arguments\":" + arguments + "}");
  }

  Called call(String tool, String arguments) {
    return call(ANN, tool, arguments);
  }

  Called call(Caller caller, String tool, String arguments) {
    return call(exchange(caller, tool, arguments));
  }

  Called call(TestExchange exchange) {
    Called called = new Called(
        ToolsHome
            .json(requireNonNull(tools.feature.methods(Revision.V2026_07_28).get("tools/call")).call(exchange).end()));
    String tool = exchange.request().params().text("name").orElseThrow();
    JsonObject schema = list(exchange.caller()).stream()
        .filter(it -> it.text("name").filter(tool::equals).isPresent()).findFirst()
        .flatMap(it -> it.object("outputSchema")).orElseThrow();
    assertThat(SCHEMAS.getSchema(schema.raw(), InputFormat.JSON).validate(called.structured().raw(), InputFormat.JSON))
        .isEmpty();
    assertThat(called.isError()).isEqualTo(called.outcome().equals("refused"));
    assertThat(called.result().raw()).doesNotContain(root.toString());
    assertThat(called.structured().text("suggestion").orElse("").replaceFirst(REQUEST_TO_OPERATOR, ""))
        .doesNotContainPattern(OTHER_DOORS);
    return called;
  }

  CompletableFuture<Called> later(TestExchange exchange) {
    return CompletableFuture.supplyAsync(() -> call(exchange), work -> Thread.ofVirtual().start(work));
  }

  /** Performs an action as it stands. */
  Called perform(Caller caller, JsonObject action) {
    return call(caller, action.text("tool").orElseThrow(), action.object("arguments").orElseThrow().raw());
  }

  /** A successful result. */
  JsonObject done(Caller caller, String tool, String arguments) {
    Called called = call(caller, tool, arguments);
    assertThat(called.outcome()).as("%s", called.text()).isEqualTo("done");
    return called.structured();
  }

  /** The actions in a result: calls of tools with their arguments, and advice. */
  static List<String> actions(Called called) {
    List<String> actions = new ArrayList<>();
    called.actions().forEach(action -> actions.add(action.text("tool")
        .map(tool -> tool + " " + action.object("arguments").orElseThrow().raw())
        .orElseGet(() -> action.text("why").orElseThrow())));
    return actions;
  }

  @Override
  public void close() {
    tools.close();
  }
}
