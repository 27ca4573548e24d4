package fleet.tower.cli.mailbox;

import static fleet.tower.cli.mailbox.MailboxOptions.BODY_FILE;
import static fleet.tower.cli.mailbox.MailboxOptions.MAILBOX;
import static fleet.tower.cli.mailbox.MailboxOptions.RECEIPT;
import static fleet.tower.cli.mailbox.MailboxOptions.TEXT;
import static fleet.tower.cli.mailbox.MailboxOptions.mailbox;
import static fleet.tower.cli.mailbox.MailboxOptions.onlyReceipt;
import static fleet.tower.cli.shell.Option.flag;
import static fleet.tower.cli.shell.Option.value;

import java.util.List;
import java.util.OptionalInt;
import java.util.function.Function;

import fleet.tower.answer.Reply;
import fleet.tower.cli.shell.Arguments;
import fleet.tower.cli.shell.Command;
import fleet.tower.cli.shell.Option;
import fleet.tower.mailbox.MailboxCommand;
import fleet.tower.mailbox.MailboxName;
import fleet.tower.mailbox.MessageId;
import fleet.tower.mailbox.Visibility;

/** {@code tower mailbox send|ack|nack|extend|reply|reject}: commands about one message. */
public final class MailboxCommands {
  private static final String RECEIPT_OPERAND = "[RECEIPT]";

  private final Function<Arguments, MailboxClient> clients;

  public MailboxCommands(Function<Arguments, MailboxClient> clients) {
    this.clients = clients;
  }

  /** The commands. */
  public List<Command> all() {
    return List.of(
        command("send", List.of(MAILBOX, "[BODY]"), "send a message to a mailbox and print its id",
            List.of(BODY_FILE, TEXT, value("reply-to", MAILBOX, "the mailbox for the reply"),
                value("id", "ID", "the message's id; sending the same id again does nothing (default: a new one)"),
                value("max-size", "N", "refuse if the mailbox already has N messages (default: no limit)")),
            MailboxCommands::send),
        command("ack", List.of(MAILBOX, RECEIPT_OPERAND), "acknowledge a message: it is processed, and removed",
            List.of(RECEIPT),
            arguments -> new MailboxCommand.Ack(mailbox(arguments), onlyReceipt(arguments))),
        command("nack", List.of(MAILBOX, RECEIPT_OPERAND), "return a message for another delivery",
            List.of(RECEIPT, value("delay", "D", "delay before the next delivery (default: none, at most 12h)"),
                value("error", "TEXT", "why; kept with the message and its dead letter")),
            arguments -> new MailboxCommand.Nack(mailbox(arguments), onlyReceipt(arguments),
                MailboxOptions.seconds(arguments, "delay", Visibility.NONE), arguments.value("error").orElse(null))),
        command("extend", List.of(MAILBOX, RECEIPT_OPERAND), "extend the lease of a message; never shortens it",
            List.of(RECEIPT, value("visibility", "D", "at least this long from now (default 30s, at most 12h)")),
            arguments -> new MailboxCommand.Extend(mailbox(arguments), onlyReceipt(arguments),
                MailboxOptions.seconds(arguments, "visibility", Visibility.DEFAULT))),
        command("reply", List.of(MAILBOX, RECEIPT_OPERAND, "[BODY]"),
            "reply to a message and acknowledge it in one step; print the reply's id",
            List.of(RECEIPT, BODY_FILE, TEXT, flag("more", "more replies follow: keep the message")),
            arguments -> new MailboxCommand.Reply(mailbox(arguments), MailboxOptions.receipt(arguments),
                MailboxOptions.body(arguments, arguments.has(RECEIPT.name()) ? 1 : 2), !arguments.has("more"))),
        command("reject", List.of(MAILBOX, RECEIPT_OPERAND), "move a message to the dead letters at once",
            List.of(RECEIPT, value("error", "TEXT", "why").needed()),
            arguments -> new MailboxCommand.Reject(mailbox(arguments), onlyReceipt(arguments),
                arguments.required("error"))));
  }

  private Command command(String word, List<String> operands, String summary, List<Option> options,
      Function<Arguments, MailboxCommand> reading) {
    return new Command("mailbox " + word, operands, summary, options, arguments -> {
      MailboxCommand command = reading.apply(arguments);
      try (MailboxClient client = clients.apply(arguments)) {
        return reply(client, command);
      }
    });
  }

  private static Reply reply(MailboxClient client, MailboxCommand command) {
    return MailboxReplies.reply(client.perform(command), command.mailbox());
  }

  private static MailboxCommand send(Arguments arguments) {
    return new MailboxCommand.Send(mailbox(arguments), arguments.value("id").map(MessageId::new).orElse(null),
        MailboxOptions.body(arguments, 1), arguments.value("reply-to").map(MailboxName::new).orElse(null),
        MailboxOptions.number(arguments, "max-size").map(OptionalInt::of).orElseGet(OptionalInt::empty), null);
  }
}
