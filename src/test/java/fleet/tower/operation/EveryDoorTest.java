package fleet.tower.operation;

import static fleet.tower.service.web.access.TestTokens.entry;
import static fleet.tower.service.web.access.TestTokens.tokenOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.servlet.function.RouterFunction;
import org.springframework.web.servlet.function.ServerResponse;

import fleet.tower.access.Role;
import fleet.tower.answer.CommandLine;
import fleet.tower.answer.LockEstimates;
import fleet.tower.answer.Reply;
import fleet.tower.cli.shell.Command;
import fleet.tower.cli.shell.OperationCommand;
import fleet.tower.cli.shell.Option;
import fleet.tower.harness.TestHome;
import fleet.tower.harness.TypedLine;
import fleet.tower.operation.Arg.Via;
import fleet.tower.platform.Exit;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.service.config.TestService;
import fleet.tower.service.config.TestService.Answer;
import fleet.tower.service.mcp.tool.OperationTool;
import fleet.tower.service.web.access.TestTokens;
import fleet.tower.service.web.http.RoutedOperation;

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@DisplayName("Every operation is the same at every door: its arguments, their limits, its role")
class EveryDoorTest {
  private static final String META = "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
      + "\"io.modelcontextprotocol/clientCapabilities\":{}}";
  private static final String RUN = "run-1";
  /** Values that are more than the right kind. */
  private static final Map<Arg<?>, Object> KNOWN = Map.of(RunOperations.RUN, RUN,
      MailboxOperations.RECEIPT, "m1/r1");
  /** Arguments of which an operation needs one. */
  private static final Map<Operation, Given> NEEDED = Map.of(HaltOperations.PLACE,
      Given.NOTHING.with(HaltOperations.LOCKS, List.of("nothing-*")));
  private static final String NO_MOMENT = "yesterday";

  @AutoClose
  private TestService service;
  private TestHome home;

  @BeforeAll
  void start(@TempDir Path root, @TempDir Path other) {
    TestTokens.write(root, entry("vic", "viewer", "") + entry("ann", "agent", "") + entry("olga", "operator", ""));
    TestService.declare(root, "greet", "  mode: observe\n  steps: [{name: say, run: [echo, hi]}]\n");
    service = new TestService(root, "--spring.main.sources=" + Fresh.class.getName());
    home = new TestHome(other);
    assertThat(http(new Ask(RunOperations.SUBMIT, Given.NOTHING.with(RunOperations.INTENT, "greet")
        .with(CommonArgs.REQUEST_ID, RUN)), "ann", false).status()).isEqualTo(200);
  }

  /** A door, and a refusal without what only one door has. */
  private record Refusal(Via door, String code, String sentence) {}

  static Stream<Named<Operation>> operations() {
    return Operations.all().map(operation -> Named.of(operation.id(), operation));
  }

  @ParameterizedTest
  @MethodSource("operations")
  @DisplayName("Each door accepts the required arguments")
  void required(Operation operation) {
    assertThat(refusals(new Ask(operation, sample(operation)), false)).as("%s", operation.call())
        .noneMatch(refusal -> List.of("invalid_request", "invalid_params", "usage").contains(refusal.code()));
  }

  @ParameterizedTest
  @MethodSource("operations")
  @DisplayName("Each door refuses a value out of limits with the same code and the same sentence")
  void limits(Operation operation) {
    for (Arg<?> arg : operation.args()) {
      Given wrong = wrong(sample(operation), arg);
      if (wrong == null) {
        continue;
      }
      boolean isMoment = arg.kind() instanceof Kind.Moment;
      for (Refusal refusal : refusals(new Ask(operation, wrong), isMoment)) {
        boolean isCommand = refusal.door() == Via.COMMAND;
        boolean isTool = refusal.door() == Via.TOOL;
        // The page of a tool is small enough for a model to read.
        if (!arg.isAt(refusal.door()) || (isTool && arg.equals(CommonArgs.LIMIT))) {
          continue;
        }
        // The schema of a tool lists the words, so that a client can check them before, and the answer corrects them.
        if (isTool && arg.kind() instanceof Kind.Word word) {
          assertThat(refusal.code()).isEqualTo("invalid_params");
          assertThat(refusal.sentence())
              .startsWith(arg.name() + " must be one of " + String.join(", ", word.words()));
          continue;
        }
        assertThat(refusal).as("%s %s", operation.call(), arg.name()).satisfies(
            it -> assertThat(it.code()).isEqualTo("invalid_request"),
            it -> assertThat(it.sentence()).startsWith((isCommand ? option(arg) : "'" + arg.name() + "'") + " must be "
                + (isCommand ? arg.kind().expectedOption() : arg.kind().expected()) + ", not "));
      }
    }
  }

  @ParameterizedTest
  @MethodSource("operations")
  @DisplayName("Each door requires the role of the operation")
  void role(Operation operation) {
    Optional<String> below = switch (operation.role()) {
      case VIEWER -> Optional.empty();
      case AGENT -> Optional.of("vic");
      case OPERATOR -> Optional.of("ann");
    };
    below.ifPresent(caller -> {
      Ask ask = new Ask(operation, sample(operation));
      Answer refused = http(ask, caller, false);
      assertThat(refused.status()).isEqualTo(403);
      assertThat(refused.body()).contains("\"error\":\"forbidden\"",
          "\"required_role\":\"" + operation.role() + "\"");
      if (operation.tool() != null) {
        assertThat(tool(ask, caller, false).body()).contains("there is no tool '" + operation.toolName());
      }
      CommandLine.of(ask).ifPresent(line -> assertThat(remote(line, caller).errorCode()).isEqualTo("forbidden"));
    });
    if (operation.role() != Role.VIEWER) {
      assertThat(http(new Ask(operation, sample(operation)), operation.role() == Role.AGENT ? "ann" : "olga", false)
          .status()).isNotEqualTo(403);
    }
  }

  @Test
  @DisplayName("A fresh argument of an operation is an argument of its call, its tool and its command")
  void fresh() {
    Answer refused = service.call("POST", "/fixtures/f", "{\"fresh_seconds\":61}", "Content-Type", "application/json");
    assertThat(refused.body())
        .contains("'fresh_seconds' must be a whole number from 1 to 60, not '61'", "invalid_request");
    assertThat(service.call("POST", "/fixtures/f", "{\"fresh_seconds\":60}", "Content-Type", "application/json").body())
        .contains("\"name\":\"operator\"");
    assertThat(OperationTool.definition(Fresh.OPERATION).toString())
        .contains("\"fresh_seconds\":{\"type\":\"integer\"}");
    Command command = OperationCommand.of(Fresh.OPERATION, _ -> Reply.of(Exit.DONE, JsonWriter.line()));
    assertThat(command.options()).extracting(Option::name, Option::summary)
        .contains(tuple("fresh", "how fresh it is (default 30s, at most 1m)"));
  }

  private List<Refusal> refusals(Ask ask, boolean isWrongMoment) {
    Operation operation = ask.operation();
    List<Refusal> refusals = new ArrayList<>();
    JsonObject http = TestHome.json(http(ask, "olga", isWrongMoment).body());
    http.text("error").ifPresent(code -> refusals.add(new Refusal(Via.HTTP, code, http.text("detail").orElse(""))));
    if (operation.tool() != null) {
      JsonObject result = TestHome.json(tool(ask, "olga", isWrongMoment).body()).object("result").orElseThrow()
          .object("structuredContent").orElseThrow();
      result.text("error").ifPresent(code -> refusals.add(new Refusal(Via.TOOL, code, result.text("detail")
          .orElse(""))));
    }
    CommandLine.of(ask).map(line -> run(line, isWrongMoment)).filter(outcome -> outcome.exit() != 0
        && outcome.out().contains("error_code")).ifPresent(outcome -> refusals.add(
            new Refusal(Via.COMMAND,
                outcome.errorCode(), outcome.json().text("error").orElse(""))));
    return refusals;
  }

  private Answer http(Ask ask, String caller, boolean isWrongMoment) {
    String path = ask.href();
    return service.callAs(tokenOf(caller), ask.operation().method().name(),
        isWrongMoment ? path.replaceFirst("1970[^&]*", NO_MOMENT) : path,
        ask.operation().method().hasBody() ? ask.body().end() : "");
  }

  private Answer tool(Ask ask, String caller, boolean isWrongMoment) {
    String arguments = ask.arguments().end();
    String name = ask.operation().toolName();
    return service.callAs(tokenOf(caller), "POST", "/mcp",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"" + name + "\",\"arguments\":"
            + (isWrongMoment ? arguments.replaceFirst("1970[^\"]*", NO_MOMENT) : arguments) + "," + META + "}}",
        "Accept", "application/json, text/event-stream", "MCP-Protocol-Version", "2026-07-28", "Mcp-Method",
        "tools/call", "Mcp-Name", name);
  }

  private TestHome.Outcome run(String line, boolean isWrongMoment) {
    List<String> words = new ArrayList<>(
        TypedLine.words(isWrongMoment ? line.replaceFirst("1970[^ ]*", NO_MOMENT) : line));
    words.add("--json");
    return home.run(words.toArray(String[]::new));
  }

  private TestHome.Outcome remote(String line, String caller) {
    home.with("TOWER_URL", service.url()).with("TOWER_TOKEN", tokenOf(caller));
    try {
      return run(line, false);
    } finally {
      home.with("TOWER_URL", "").with("TOWER_TOKEN", "");
    }
  }

  private static String option(Arg<?> arg) {
    return arg.isOperand() ? arg.called() : "--" + Objects.requireNonNull(arg.option()).replaceFirst("^-+", "");
  }

  /** The required arguments. */
  private static Given sample(Operation operation) {
    Given given = NEEDED.getOrDefault(operation, Given.NOTHING);
    for (Arg<?> arg : operation.args()) {
      boolean isGiven = arg.isRequired() || operation.inPath().contains(arg);
      given = isGiven ? with(given, arg, KNOWN.getOrDefault(arg, value(arg.kind(), false))) : given;
    }
    return given;
  }

  /** The arguments with a value of one that is out of its limits; null if any value will do. */
  private static @Nullable Given wrong(Given sample, Arg<?> arg) {
    Object wrong = value(arg.kind(), true);
    return wrong == null ? null : with(sample, arg, wrong);
  }

  @SuppressWarnings("unchecked")
  private static <T> Given with(Given given, Arg<T> arg, @Nullable Object value) {
    return given.with(arg, (T) Objects.requireNonNull(value));
  }

  private static @Nullable Object value(Kind<?> kind, boolean isWrong) {
    return switch (kind) {
      case Kind.Whole whole -> isWrong ? outside(whole) : (Long) Math.max(whole.min(), 1);
      case Kind.Word word -> isWrong ? "wrong" : word.words().getFirst();
      case Kind.Formed _ -> isWrong ? null : "text";
      case Kind.Text text -> isWrong ? (text.most() > 0 ? " " : null) : "t-1";
      case Kind.Moment _ -> isWrong ? Instant.EPOCH : null;
      case Kind.Json _ -> isWrong ? null : "1";
      case Kind.Texts _ -> isWrong ? null : List.of("t-1");
      case Kind.Members _ -> isWrong ? null : TestHome.json("{}");
      case Kind.Flag _ -> isWrong ? null : true;
      case Kind.Preferred _ -> null;
    };
  }

  private static @Nullable Long outside(Kind.Whole whole) {
    if (whole.max() < Long.MAX_VALUE) {
      return whole.max() + 1;
    }
    return whole.min() > 0 ? whole.min() - 1 : null;
  }

  /** An operation that only this test has; as a source of a setting, this adds its call to a service. */
  @Configuration(proxyBeanMethods = false)
  public static class Fresh {
    static final Operation OPERATION = Operation.of("fixture", Role.VIEWER, Operation.Method.POST, "/fixtures/{name}",
        "look at a fixture", LockOperations.NAME,
        Arg.seconds("fresh_seconds", 1, 60, "how fresh it is").or(30L))
        .command("fixture").tool("see_fixture", Operation.Effect.NOTHING, "Shows a fixture.");

    @Bean
    RouterFunction<ServerResponse> fixture(LockEstimates estimates) {
      return RoutedOperation.routes(
          new Operations(Map.of(OPERATION, request -> new HomeCallOutcome.Me(request.caller()))), estimates);
    }
  }
}
