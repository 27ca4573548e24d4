package fleet.tower.service.mcp.tool.mailbox;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.util.List;
import java.util.Set;

import fleet.tower.access.Caller;
import fleet.tower.access.Role;
import fleet.tower.answer.Answer;
import fleet.tower.answer.CommonProblems;
import fleet.tower.mailbox.MailboxCommand;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonValue;
import fleet.tower.service.call.AnyJson;
import fleet.tower.service.call.Needs;
import fleet.tower.service.call.mailbox.MailboxCalls;
import fleet.tower.service.call.mailbox.ReceiptCalls;
import fleet.tower.service.mcp.tool.FixedTool;
import fleet.tower.service.mcp.tool.FixedTool.Definition;
import fleet.tower.service.mcp.tool.FixedTool.Effect;
import fleet.tower.service.mcp.tool.Tool;
import fleet.tower.service.mcp.tool.ToolBox;
import fleet.tower.service.mcp.wire.Exchange;

/**
 * The tools {@code send_message receive_message settle_message}. A reply is always the last one, because a repeated
 * call would send any other a second time.
 */
public final class MailboxTools implements ToolBox {
  private static final String MAILBOX = "mailbox";
  private static final String BODY = "body";
  private static final String ERROR = "error";
  private static final String VISIBILITY_TIMEOUT = "visibility_timeout";
  private static final String RECEIPT_HANDLE = "receipt_handle";
  private static final Set<String> OF_SOME_ACTIONS = Set.of(VISIBILITY_TIMEOUT, ERROR, BODY);

  private static final Definition SEND = new Definition("send_message", "Sends JSON to a mailbox.",
      """
          "mailbox":{"type":"string"},"body":{},"id":{"type":"string"},\
          "reply_to":{"type":"string"}""",
      List.of(MAILBOX, BODY), Effect.OWN);
  private static final Definition RECEIVE = new Definition("receive_message",
      "Leases messages. Settle each within visibility_timeout seconds.",
      """
          "mailbox":{"type":"string"},"max_messages":{"type":"integer","minimum":1,"maximum":%d,"default":1},\
          "visibility_timeout":{"type":"integer"},\
          "wait_time_seconds":{"type":"integer","minimum":0}"""
          .formatted(MailboxCommand.Receive.MAX_MESSAGES),
      List.of(MAILBOX), Effect.OWN);
  private static final Definition SETTLE = new Definition("settle_message",
      "ack: done. nack: deliver again. reject: dead letter. extend: keep. reply: send body to reply_to, and ack.",
      """
          "mailbox":{"type":"string"},"receipt_handle":{"type":"string"},\
          "action":{"enum":["ack","nack","reject","extend","reply"]},\
          "visibility_timeout":{"type":"integer"},"error":{"type":"string"},"body":{}""",
      List.of(MAILBOX, RECEIPT_HANDLE, "action"), Effect.DELETION);

  private final MailboxCalls calls;
  private final ReceiptCalls receipts;
  private final Duration answerWithin;
  private final List<FixedTool> tools;

  /** @param answerWithin the longest wait of one call */
  public MailboxTools(MailboxCalls calls, ReceiptCalls receipts, Duration answerWithin) {
    this.calls = calls;
    this.receipts = receipts;
    this.answerWithin = answerWithin;
    tools = List.of(
        FixedTool.of(SEND, Role.AGENT, (arguments, exchange) -> send(arguments, exchange.caller()),
            message -> "Message " + message.text("id").orElse("") + " is in mailbox "
                + message.text(MAILBOX).orElse("") + "."),
        FixedTool.of(RECEIVE, Role.AGENT, this::receive, MailboxTools::received),
        FixedTool.of(SETTLE, Role.AGENT, this::settle,
            message -> message.object("reply").map(reply -> "The reply is message " + reply.text("id").orElse("") + ".")
                .orElse("Message " + message.text("id").orElse("") + " is settled.")));
  }

  @Override
  public List<Tool> tools(Caller caller) {
    return FixedTool.permitted(tools, caller);
  }

  @Needs(Role.AGENT)
  private Answer send(JsonObject arguments, Caller caller) {
    return calls.send(mailbox(arguments), new MailboxCalls.SendBody(arguments.text("id").orElse(null), body(arguments),
        arguments.text("reply_to").orElse(null), null), caller);
  }

  @Needs(Role.AGENT)
  private Answer receive(JsonObject arguments, Exchange exchange) {
    long wait = Math.min(arguments.integer("wait_time_seconds").orElse(0), answerWithin.toSeconds());
    return calls.receive(mailbox(arguments),
        new MailboxCalls.ReceiveBody(null, Math.toIntExact(arguments.integer("max_messages").orElse(1)),
            FixedTool.integer(arguments, VISIBILITY_TIMEOUT), wait, null),
        exchange.caller(), exchange.cancellation());
  }

  private static String received(JsonObject result) {
    int count = result.items("messages").size();
    return switch (count) {
      case 0 -> "No message is available.";
      case 1 -> "1 message.";
      default -> count + " messages.";
    };
  }

  @Needs(Role.AGENT)
  private Answer settle(JsonObject arguments, Exchange exchange) {
    String mailbox = mailbox(arguments);
    String receipt = arguments.text(RECEIPT_HANDLE).orElse("");
    String action = arguments.text("action").orElse("");
    Long timeout = FixedTool.integer(arguments, VISIBILITY_TIMEOUT);
    return switch (action) {
      case "ack" -> {
        require(arguments, action, Set.of(), Set.of());
        yield receipts.ack(mailbox, new ReceiptCalls.AckBody(receipt), exchange.caller());
      }
      case "nack" -> {
        require(arguments, action, Set.of(), Set.of(VISIBILITY_TIMEOUT, ERROR));
        yield receipts.nack(mailbox, new ReceiptCalls.NackBody(receipt, timeout, arguments.text(ERROR).orElse(null)),
            exchange.caller());
      }
      case "reject" -> {
        require(arguments, action, Set.of(ERROR), Set.of(ERROR));
        yield receipts.reject(mailbox, new ReceiptCalls.RejectBody(receipt, arguments.text(ERROR).orElse("")),
            exchange.caller());
      }
      case "extend" -> {
        require(arguments, action, Set.of(), Set.of(VISIBILITY_TIMEOUT));
        yield receipts.extend(mailbox, new ReceiptCalls.ExtendBody(receipt, timeout), exchange.caller());
      }
      case "reply" -> {
        require(arguments, action, Set.of(BODY), Set.of(BODY));
        yield receipts.reply(mailbox, new ReceiptCalls.ReplyBody(receipt, body(arguments), false), exchange.caller());
      }
      default -> throw new IllegalStateException("an action that the schema does not have: " + action);
    };
  }

  /** Refuses arguments that belong to other actions, so that none is ignored. */
  private static void require(JsonObject arguments, String action, Set<String> required, Set<String> allowed) {
    required.stream().filter(name -> arguments.get(name) == null).findFirst().ifPresent(name -> {
      throw CommonProblems.invalid(name, "'" + name + "' is missing; the action " + action + " requires it",
          "add '" + name + "'");
    });
    OF_SOME_ACTIONS.stream().filter(name -> arguments.get(name) != null && !allowed.contains(name)).sorted().findFirst()
        .ifPresent(name -> {
          throw CommonProblems.invalid(name, "'" + name + "' has no meaning with the action " + action,
              "omit '" + name + "'");
        });
  }

  private static String mailbox(JsonObject arguments) {
    return arguments.text(MAILBOX).orElse("");
  }

  private static AnyJson body(JsonObject arguments) {
    JsonValue body = requireNonNull(arguments.get(BODY));
    return new AnyJson(arguments.raw(body));
  }
}
