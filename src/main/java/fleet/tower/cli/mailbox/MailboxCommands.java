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

import fleet.tower.cli.shell.Arguments;
import fleet.tower.cli.shell.Command;
import fleet.tower.cli.shell.Option;
import fleet.tower.cli.shell.Reply;
import fleet.tower.mailbox.MailboxCommand;
import fleet.tower.mailbox.MailboxName;
import fleet.tower.mailbox.MessageId;
import fleet.tower.mailbox.Visibility;

/** {@code tower mailbox send|ack|nack|extend|reply|reject}: what senders and workers do with one message. */
public final class MailboxCommands {
  private static final String RECEIPT_OPERAND = "[RECEIPT]";

  private final Function<Arguments, MailboxClient> desks;

  public MailboxCommands(Function<Arguments, MailboxClient> desks) {
    this.desks = desks;
  }

  /** The commands. */
  public List<Command> all() {
    return List.of(
        command("send", List.of(MAILBOX, "[BODY]"), "put a message at the end of a mailbox, and print its id",
            List.of(BODY_FILE, TEXT, value("reply-to", MAILBOX, "the mailbox that waits for the answer"),
                value("id", "ID", "its id; the same one again sends nothing twice (default: a new one)"),
                value("max-size", "N", "refuse it where the mailbox has so many messages (default: no limit)")),
            MailboxCommands::send),
        command("ack", List.of(MAILBOX, RECEIPT_OPERAND), "a message is done with: it is gone", List.of(RECEIPT),
            arguments -> new MailboxCommand.Ack(mailbox(arguments), onlyReceipt(arguments))),
        command("nack", List.of(MAILBOX, RECEIPT_OPERAND), "give a message back, to be tried again",
            List.of(RECEIPT, value("delay", "D", "offer it again only then (default: at once, at most 12h)"),
                value("error", "TEXT", "why; kept for who looks at a dead letter")),
            arguments -> new MailboxCommand.Nack(mailbox(arguments), onlyReceipt(arguments),
                MailboxOptions.seconds(arguments, "delay", Visibility.NONE), arguments.value("error").orElse(null))),
        command("extend", List.of(MAILBOX, RECEIPT_OPERAND), "keep a message for longer; never for shorter",
            List.of(RECEIPT, value("visibility", "D", "at least so long from now (default 30s, at most 12h)")),
            arguments -> new MailboxCommand.Extend(mailbox(arguments), onlyReceipt(arguments),
                MailboxOptions.seconds(arguments, "visibility", Visibility.DEFAULT))),
        command("reply", List.of(MAILBOX, RECEIPT_OPERAND, "[BODY]"),
            "answer a message and be done with it, in one step; print the answer's id",
            List.of(RECEIPT, BODY_FILE, TEXT, flag("more", "it is not the last answer: keep the message")),
            arguments -> new MailboxCommand.Reply(mailbox(arguments), MailboxOptions.receipt(arguments),
                MailboxOptions.body(arguments, arguments.has(RECEIPT.name()) ? 1 : 2), !arguments.has("more"))),
        command("reject", List.of(MAILBOX, RECEIPT_OPERAND), "a message is no use to try again: a dead letter, at once",
            List.of(RECEIPT, value("error", "TEXT", "why").needed()),
            arguments -> new MailboxCommand.Reject(mailbox(arguments), onlyReceipt(arguments),
                arguments.required("error"))));
  }

  private Command command(String word, List<String> operands, String summary, List<Option> options,
      Function<Arguments, MailboxCommand> reading) {
    return new Command("mailbox " + word, operands, summary, options, arguments -> {
      MailboxCommand command = reading.apply(arguments);
      try (MailboxClient desk = desks.apply(arguments)) {
        return reply(desk, command);
      }
    });
  }

  private static Reply reply(MailboxClient desk, MailboxCommand command) {
    return MailboxReplies.reply(desk.perform(command));
  }

  private static MailboxCommand send(Arguments arguments) {
    return new MailboxCommand.Send(mailbox(arguments), arguments.value("id").map(MessageId::new).orElse(null),
        MailboxOptions.body(arguments, 1), arguments.value("reply-to").map(MailboxName::new).orElse(null),
        MailboxOptions.number(arguments, "max-size").map(OptionalInt::of).orElseGet(OptionalInt::empty));
  }
}
