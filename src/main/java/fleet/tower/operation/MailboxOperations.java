package fleet.tower.operation;

import static fleet.tower.access.Role.AGENT;
import static fleet.tower.access.Role.VIEWER;
import static fleet.tower.operation.Arg.Via.COMMAND;
import static fleet.tower.operation.Arg.Via.HTTP;
import static fleet.tower.operation.CommonArgs.REQUEST_ID;
import static fleet.tower.operation.Operation.Method.DELETE;
import static fleet.tower.operation.Operation.Method.GET;
import static fleet.tower.operation.Operation.Method.POST;

import java.util.List;

import fleet.tower.access.Role;
import fleet.tower.mailbox.MailboxCommand;
import fleet.tower.mailbox.Mailboxes;
import fleet.tower.mailbox.Visibility;
import fleet.tower.operation.Operation.Effect;
import fleet.tower.operation.Operation.Method;
import fleet.tower.platform.json.JsonObject;

/** The operations on mailboxes and their messages. */
public final class MailboxOperations {
  private static final String VISIBILITY_TIMEOUT = "visibility_timeout";
  private static final String SETTLE = "settle_message";
  private static final long DEFAULT_LIMIT = 100;

  public static final Arg<String> MAILBOX = Arg.text("mailbox", "MAILBOX", "the name of the mailbox").operand();
  public static final Arg<String> BODY = Arg.json("body", "[BODY]", "the content").must().operand();
  public static final Arg<String> ID = Arg.text("id", "ID",
      "the message's id; sending the same id again does nothing (default: a new one)");
  public static final Arg<String> REPLY_TO = Arg.text("reply_to", "MAILBOX", "the mailbox for the reply");
  public static final Arg<Long> MAX_SIZE = Arg.whole("max_size", 1, MailboxCommand.Send.MAX_LIMIT, "N",
      "refuse if the mailbox already has N messages (default: no limit)");
  public static final Arg<Long> MAX_MESSAGES = Arg.whole("max_messages", 1, Long.MAX_VALUE, "N",
      "receive up to N messages, at most " + MailboxCommand.Receive.MAX_MESSAGES).or(1L);
  public static final Arg<Long> VISIBILITY = Arg.wholeSeconds(VISIBILITY_TIMEOUT, Visibility.MAX_SECONDS,
      "how long the messages stay leased to the caller").option("visibility").or(Visibility.DEFAULT.seconds());
  public static final Arg<Long> WAIT = Arg.seconds("wait_time_seconds", 0, Mailboxes.MAX_WAIT_SECONDS,
      "wait for the first message").option("wait").or(0L).bare(600L);
  public static final Arg<Long> MAX_DELIVERIES = Arg.whole("max_deliveries", 1, MailboxCommand.Receive.MAX_DELIVERIES,
      "N", "after N deliveries a message becomes a dead letter")
      .or((long) MailboxCommand.Receive.DEFAULT_DELIVERIES);
  public static final Arg<String> WITHDRAWN = REQUEST_ID.says("the request that waits").operand();
  public static final Arg<String> RECEIPT = Arg.text("receipt_handle", "[RECEIPT]",
      "the receipt of the message, which has it as receipt_handle").must();
  public static final Arg<Long> DELAY = VISIBILITY.says("delay before the next delivery").option("delay").or(0L);
  public static final Arg<Long> LONGER = VISIBILITY.says("at least this long from now");
  public static final Arg<String> ERROR = Arg.anyText("error", "TEXT",
      "why; kept with the message and its dead letter");
  public static final Arg<Boolean> MORE = Arg.flag("more", "more replies follow: keep the message")
      .only(HTTP, COMMAND);
  public static final Arg<Long> LIMIT = CommonArgs.LIMIT.says("show at most N").or(DEFAULT_LIMIT);
  public static final Arg<List<String>> IDS = Arg
      .texts("ids", MailboxCommand.Revive.MAX_IDS, "[ID...]", "the dead letters (default: all)").operand();

  public static final Operation LIST = of("listMailboxes", VIEWER, GET, "", "count the messages of every mailbox")
      .command("mailbox count");
  public static final Operation VIEW = of("getMailbox", VIEWER, GET, "/{mailbox}", "count the messages of a mailbox",
      MAILBOX).command("mailbox count");
  public static final Operation SEND = of("sendMessage", AGENT, POST, "/{mailbox}/messages",
      "send a message to a mailbox and print its id", MAILBOX, BODY, REPLY_TO, ID, MAX_SIZE).command("mailbox send")
      .tool("send_message", Effect.OWN, "Sends JSON to a mailbox.");
  public static final Operation PURGE = of("purgeMailbox", AGENT, DELETE, "/{mailbox}/messages",
      "delete all messages of a mailbox, leased ones too, but not its dead letters", MAILBOX).command("mailbox purge");
  public static final Operation DEAD = of("listDeadLetters", VIEWER, GET, "/{mailbox}/dead",
      "list the dead letters of a mailbox, oldest first", MAILBOX, LIMIT).command("mailbox dead");
  public static final Operation PURGE_DEAD = of("purgeDeadLetters", AGENT, DELETE, "/{mailbox}/dead",
      "delete the dead letters of a mailbox", MAILBOX).command("mailbox dead --purge");
  public static final Operation REVIVE = of("reviveDeadLetters", AGENT, POST, "/{mailbox}/dead/revive",
      "put dead letters back into their mailbox at their old places", MAILBOX, IDS).command("mailbox dead --revive");

  public static final Operation ACK = of("ackMessage", AGENT, POST, "/{mailbox}/ack",
      "acknowledge a message: it is processed, and removed", MAILBOX, RECEIPT).command("mailbox ack")
      .action(SETTLE, "ack");
  public static final Operation NACK = of("nackMessage", AGENT, POST, "/{mailbox}/nack",
      "return a message for another delivery", MAILBOX, RECEIPT, DELAY, ERROR).command("mailbox nack")
      .action(SETTLE, "nack");
  public static final Operation REJECT = of("rejectMessage", AGENT, POST, "/{mailbox}/reject",
      "move a message to the dead letters at once", MAILBOX, RECEIPT, ERROR.must()).command("mailbox reject")
      .action(SETTLE, "reject");
  public static final Operation EXTEND = of("extendMessage", AGENT, POST, "/{mailbox}/extend",
      "extend the lease of a message; never shortens it", MAILBOX, RECEIPT, LONGER).command("mailbox extend")
      .action(SETTLE, "extend");
  public static final Operation REPLY = of("replyToMessage", AGENT, POST, "/{mailbox}/reply",
      "reply to a message and acknowledge it in one step; print the reply's id", MAILBOX, RECEIPT, BODY, MORE)
      .command("mailbox reply")
      .action(SETTLE, "reply");

  public static final Operation WITHDRAW = of("withdrawReceive", AGENT, DELETE, "/{mailbox}/waiters/{request_id}",
      "end a wait for a message", MAILBOX, WITHDRAWN);
  public static final Operation RECEIVE = of("receiveMessages", AGENT, POST, "/{mailbox}/receive",
      "lease messages; print the receipt and body of each. Exit code 3 if there is none", MAILBOX, MAX_MESSAGES,
      VISIBILITY, WAIT, MAX_DELIVERIES, REQUEST_ID).command("mailbox receive")
      .tool("receive_message", Effect.OWN, "Leases messages. Settle each within visibility_timeout.")
      .waiting(new Operation.Waiting(WAIT, WITHDRAW, NACK, MailboxOperations::returned));

  /** All of them. */
  public static final List<Operation> ALL = List.of(LIST, VIEW, SEND, PURGE, DEAD, PURGE_DEAD, REVIVE, ACK, NACK,
      REJECT, EXTEND, REPLY, WITHDRAW, RECEIVE);

  private MailboxOperations() {}

  private static Operation of(String id, Role role, Method method, String path, String says, Arg<?>... args) {
    return Operation.of(id, role, method, "/mailboxes" + path, says, args).enveloped();
  }

  private static List<Given> returned(JsonObject received) {
    return received.objects("messages").stream()
        .map(message -> Given.NOTHING.with(MAILBOX, message.text("mailbox").orElseThrow())
            .with(RECEIPT, message.text("receipt_handle").orElseThrow()))
        .toList();
  }
}
