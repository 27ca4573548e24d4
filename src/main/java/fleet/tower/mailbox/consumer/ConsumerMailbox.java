package fleet.tower.mailbox.consumer;

import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

import fleet.tower.lease.keepalive.LeaseExtender.Extendable;
import fleet.tower.mailbox.MailboxCommand;
import fleet.tower.mailbox.MailboxOutcome;
import fleet.tower.mailbox.Mailboxes;
import fleet.tower.mailbox.Message;
import fleet.tower.mailbox.MessageBody;
import fleet.tower.mailbox.Visibility;
import fleet.tower.platform.StorageException;
import fleet.tower.platform.time.Cancellation;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.platform.time.WakeUp;

/** The mailbox of a group of consumers; while it fails, they wait and try again. */
final class ConsumerMailbox {
  private static final Duration SHORTEST_PAUSE = Duration.ofSeconds(1);
  private static final int ATTEMPTS = 5;

  /** The delay of a message whose reply has no room. */
  private static final Visibility UNTIL_ROOM = new Visibility(60);

  private final Mailboxes mailboxes;
  private final ConsumerSettings settings;
  private final Scheduler scheduler;
  private final Consumer<String> log;

  ConsumerMailbox(Mailboxes mailboxes, ConsumerSettings settings, Scheduler scheduler, Consumer<String> log) {
    this.mailboxes = mailboxes;
    this.settings = settings;
    this.scheduler = scheduler;
    this.log = log;
  }

  void log(String message) {
    log.accept(message);
  }

  Extendable lease(Message.Delivery delivery) {
    return mailboxes.lease(delivery);
  }

  /** Waits for messages. If the mailbox cannot be reached, returns nothing after a pause. */
  List<Message.Delivery> receive(Cancellation stopping) {
    try {
      return mailboxes
          .receive(settings.receive().mailbox(), settings::receiveNow, settings.patience(), stopping, () -> true)
          .deliveries();
    } catch (RuntimeException | Error e) {
      // An unexpected error must not leave a mailbox without a consumer either.
      if (!(e instanceof StorageException storage && storage.isReported())) {
        log("cannot receive messages: " + e.getMessage());
      }
      pause(stopping);
      return List.of();
    }
  }

  private void pause(Cancellation stopping) {
    WakeUp bell = new WakeUp();
    try (var _ = stopping.on(bell::signal)) {
      Scheduler.Pending alarm = scheduler.after(SHORTEST_PAUSE, bell::signal);
      bell.await();
      alarm.cancel();
    }
  }

  /**
   * Reports the result of a message to the mailbox. If that fails, the message is delivered again when its lease ends.
   */
  void settle(Message.Delivery delivery, MessageHandler.Result result) {
    for (int attempt = 1;; attempt++) {
      try {
        checkReceipt(delivery, report(delivery, result));
        return;
      } catch (StorageException e) {
        if (attempt == ATTEMPTS && e.isReported()) {
          return;
        }
        if (attempt == ATTEMPTS) {
          log("cannot report the result of message " + delivery.message().id() + ": " + e.getMessage());
          return;
        }
        scheduler.pause(SHORTEST_PAUSE);
      }
    }
  }

  private MailboxOutcome report(Message.Delivery delivery, MessageHandler.Result result) {
    return switch (result) {
      case MessageHandler.Result.Done() -> ack(delivery);
      case MessageHandler.Result.Answered(MessageBody answer) -> {
        MailboxOutcome.OfReply outcome = mailboxes
            .reply(new MailboxCommand.Reply(delivery.mailbox(), delivery.receipt(), answer, true));
        yield switch (outcome) {
          case MailboxOutcome.NoReplyAddress _ -> ack(delivery);
          case MailboxOutcome.Full full -> mailboxes.nack(new MailboxCommand.Nack(delivery.mailbox(),
              delivery.receipt(), UNTIL_ROOM, "the mailbox " + full.mailbox() + " of its reply is full"));
          case MailboxOutcome.Replied _,MailboxOutcome.OldReceipt _ -> outcome;
        };
      }
      case MessageHandler.Result.Later(Visibility delay, String why) -> mailboxes
          .nack(new MailboxCommand.Nack(delivery.mailbox(), delivery.receipt(), delay, why));
      case MessageHandler.Result.Never(String why) -> mailboxes
          .reject(new MailboxCommand.Reject(delivery.mailbox(), delivery.receipt(), why), null);
    };
  }

  private MailboxOutcome ack(Message.Delivery delivery) {
    return mailboxes.ack(new MailboxCommand.Ack(delivery.mailbox(), delivery.receipt()));
  }

  private void checkReceipt(Message.Delivery delivery, MailboxOutcome outcome) {
    if (outcome instanceof MailboxOutcome.OldReceipt) {
      log("message " + delivery.message().id() + " was lost to another worker before its result was reported");
    }
  }
}
