package fleet.tower.service.mcp.tool.fixed;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

import fleet.tower.access.Caller;
import fleet.tower.answer.Answer;
import fleet.tower.answer.CommonProblems;
import fleet.tower.answer.LockEstimates;
import fleet.tower.operation.Arg;
import fleet.tower.operation.Arg.Via;
import fleet.tower.operation.Handler;
import fleet.tower.operation.MailboxOperations;
import fleet.tower.operation.Operation;
import fleet.tower.operation.Operation.Effect;
import fleet.tower.operation.Operations;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.service.mcp.tool.FixedTool;
import fleet.tower.service.mcp.tool.OperationTool;
import fleet.tower.service.mcp.tool.Tool;
import fleet.tower.service.mcp.tool.ToolBox;
import fleet.tower.service.mcp.tool.ToolResult;
import fleet.tower.service.mcp.wire.Exchange;

/**
 * The tools {@code send_message receive_message settle_message}. A reply is always the last one, because a repeated
 * call would send any other a second time.
 */
public final class MailboxTools implements ToolBox {
  private static final Map<String, Operation> ACTIONS = actions();
  private static final Arg<String> ACTION = Arg.word("action", List.copyOf(ACTIONS.keySet()), "what to do").must();
  private static final List<Arg<?>> OF_ALL = List.of(MailboxOperations.MAILBOX, MailboxOperations.RECEIPT, ACTION);
  private static final List<Arg<?>> OF_SOME = ofSome();

  private final Operations operations;
  private final LockEstimates estimates;
  private final List<FixedTool> tools;

  /** @param answerWithin the longest wait of one call */
  public MailboxTools(Operations operations, LockEstimates estimates, Duration answerWithin) {
    this.operations = operations;
    this.estimates = estimates;
    tools = List.of(
        OperationTool.of(MailboxOperations.SEND, operations, MailboxTools::client, given -> given, estimates),
        OperationTool.of(MailboxOperations.RECEIVE, operations, MailboxTools::client,
            given -> given.with(MailboxOperations.WAIT,
                Math.min(given.get(MailboxOperations.WAIT), answerWithin.toSeconds())),
            estimates),
        new FixedTool(settling(), MailboxOperations.ACK.role(), this::settle));
  }

  private static Map<String, Operation> actions() {
    Map<String, Operation> actions = new LinkedHashMap<>();
    for (Operation operation : MailboxOperations.ALL) {
      if (operation.tool() != null && operation.tool().action() != null) {
        actions.put(operation.tool().action(), operation);
      }
    }
    return actions;
  }

  private static List<Arg<?>> ofSome() {
    Map<String, Arg<?>> args = new LinkedHashMap<>();
    ACTIONS.values().forEach(action -> action.at(Via.TOOL).forEach(arg -> args.putIfAbsent(arg.name(), arg)));
    OF_ALL.forEach(arg -> args.remove(arg.name()));
    return List.copyOf(args.values());
  }

  /** One tool for all actions, because every conversation pays for the list of tools. */
  private static FixedTool.Definition settling() {
    return OperationTool.definition(new Operation.Tool(MailboxOperations.ACK.toolName(), Effect.DELETION,
        "ack: done. nack: deliver again. reject: dead letter. extend: keep. reply: send body, and ack.",
        null), Stream.concat(OF_ALL.stream(), OF_SOME.stream()).toList(), OF_ALL);
  }

  private static Handler.Client client(Exchange exchange) {
    return new Handler.Client(exchange.cancellation(), (_, _, _, _) -> {});
  }

  @Override
  public List<Tool> tools(Caller caller) {
    return FixedTool.permitted(tools, caller);
  }

  private ToolResult settle(JsonObject arguments, Exchange exchange) {
    String action = arguments.text(ACTION.name()).orElse("");
    Operation operation = Objects.requireNonNull(ACTIONS.get(action));
    List<Arg<?>> args = operation.at(Via.TOOL).toList();
    require(arguments, action, args);
    return OperationTool.result(operation, Answer.of(operations.handle(operation,
        new Handler.Request(OperationTool.given(args, arguments), exchange.caller(), client(exchange))), estimates,
        estimates.moment()));
  }

  /** Refuses arguments that belong to other actions, so that none is ignored. */
  private static void require(JsonObject arguments, String action, List<Arg<?>> args) {
    args.stream().filter(arg -> arg.isRequired() && arguments.get(arg.name()) == null).findFirst().ifPresent(arg -> {
      throw CommonProblems.invalid(arg.name(),
          "'" + arg.name() + "' is missing; the action " + action + " requires it", "add '" + arg.name() + "'");
    });
    OF_SOME.stream().map(Arg::name)
        .filter(name -> arguments.get(name) != null && args.stream().noneMatch(arg -> arg.name().equals(name)))
        .sorted().findFirst().ifPresent(name -> {
          throw CommonProblems.invalid(name, "'" + name + "' has no meaning with the action " + action,
              "omit '" + name + "'");
        });
  }
}
