package fleet.tower.cli.mailbox;

import static fleet.tower.cli.shell.Option.optionalDuration;
import static fleet.tower.cli.shell.Option.value;

import java.time.Duration;
import java.util.List;
import java.util.function.Function;

import fleet.tower.answer.Failures;
import fleet.tower.answer.Reply;
import fleet.tower.cli.shell.Arguments;
import fleet.tower.cli.shell.Command;
import fleet.tower.cli.shell.Interruptions;
import fleet.tower.cli.shell.Option;
import fleet.tower.mailbox.MailboxCommand;
import fleet.tower.mailbox.MailboxName;
import fleet.tower.mailbox.MailboxOutcome;
import fleet.tower.mailbox.Visibility;
import fleet.tower.platform.ErrorCode;
import fleet.tower.platform.time.Cancellation;

/** {@code tower mailbox receive}: leases messages, and may wait for the first. */
public final class ReceiveCommand {
  private static final Duration DEFAULT_WAIT = Duration.ofMinutes(10);
  private static final List<Option> OPTIONS = List.of(
      value("max-messages", "N", "receive up to N messages (default 1, at most 10)"),
      value("visibility", "D", "how long the messages stay leased to the caller (default 30s, at most 12h)"),
      optionalDuration("wait", "wait for the first message (default 10m, at most 1h)"),
      value("max-deliveries", "N", "after N deliveries a message becomes a dead letter (default 5)"));

  private final Interruptions interruptions;
  private final Function<Arguments, MailboxClient> clients;

  public ReceiveCommand(Interruptions interruptions, Function<Arguments, MailboxClient> clients) {
    this.interruptions = interruptions;
    this.clients = clients;
  }

  /** The command. */
  public Command receive() {
    return new Command("mailbox receive", List.of(MailboxOptions.MAILBOX),
        "lease messages; print the receipt and body of each. Exit code 3 if there is none", OPTIONS,
        this::receive);
  }

  private Reply receive(Arguments arguments) {
    MailboxName mailbox = MailboxOptions.mailbox(arguments);
    MailboxCommand.Receive command = new MailboxCommand.Receive(mailbox,
        MailboxOptions.number(arguments, "max-messages").orElse(1),
        MailboxOptions.seconds(arguments, "visibility", Visibility.DEFAULT),
        MailboxOptions.number(arguments, "max-deliveries").orElse(MailboxCommand.Receive.DEFAULT_DELIVERIES), null);
    Duration wait = arguments.has("wait")
        ? arguments.duration("wait").orElse(DEFAULT_WAIT)
        : Duration.ZERO;
    try (MailboxClient client = clients.apply(arguments)) {
      Cancellation cancellation = new Cancellation();
      if (!wait.isZero()) {
        interruptions.on(cancellation::cancel);
      }
      MailboxOutcome.Received received = client.receive(command, wait, cancellation);
      return received.deliveries().isEmpty() && cancellation.isCancelled()
          ? Failures.of(ErrorCode.CANCELLED, "waiting for a message in mailbox " + mailbox + " was cancelled",
              "")
          : MailboxReplies.received(mailbox, received);
    }
  }
}
