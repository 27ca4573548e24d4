package fleet.tower.mailbox.consumer;

import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

import fleet.tower.lease.keepalive.Extendable;
import fleet.tower.mailbox.Body;
import fleet.tower.mailbox.MailboxCommand;
import fleet.tower.mailbox.MailboxOutcome;
import fleet.tower.mailbox.Mailboxes;
import fleet.tower.mailbox.Message;
import fleet.tower.mailbox.Visibility;
import fleet.tower.platform.StorageException;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.platform.wait.Cancellation;
import fleet.tower.platform.wait.WakeUp;

/** The mailbox as the workers of a crew see it: a place that may fail for a while, which ends nobody. */
final class ConsumerMailbox {
  private static final Duration SHORTEST_PAUSE = Duration.ofSeconds(1);
  private static final int ATTEMPTS = 5;

  private final Mailboxes mailboxes;
  private final ConsumerSettings terms;
  private final Scheduler scheduler;
  private final Consumer<String> log;

  ConsumerMailbox(Mailboxes mailboxes, ConsumerSettings terms, Scheduler scheduler, Consumer<String> log) {
    this.mailboxes = mailboxes;
    this.terms = terms;
    this.scheduler = scheduler;
    this.log = log;
  }

  void log(String words) {
    log.accept(words);
  }

  Extendable lease(Message.Delivery delivery) {
    return mailboxes.lease(delivery);
  }

  /** What came while the worker waited; nothing also where the mailbox cannot be reached, after a pause. */
  List<Message.Delivery> receive(Cancellation dismissal) {
    try {
      return mailboxes.receive(terms.receive(), terms.patience(), dismissal).deliveries();
    } catch (RuntimeException | Error e) {
      // Also what nobody expects must not leave a mailbox without a worker.
      log("messages of " + terms.receive().mailbox() + " cannot be received: " + e.getMessage());
      pause(dismissal);
      return List.of();
    }
  }

  private void pause(Cancellation dismissal) {
    WakeUp bell = new WakeUp();
    try (var _ = dismissal.on(bell::signal)) {
      Scheduler.Pending alarm = scheduler.after(SHORTEST_PAUSE, bell::signal);
      bell.await();
      alarm.cancel();
    }
  }

  /** Tells the mailbox what has become of a message. Where that cannot be told, the message comes again when its lease is over. */
  void settle(Message.Delivery delivery, DeliveryResult ending) {
    for (int attempt = 1;; attempt++) {
      try {
        told(delivery, tell(delivery, ending));
        return;
      } catch (StorageException e) {
        if (attempt == ATTEMPTS) {
          log("what became of message " + delivery.message().id() + " cannot be told: " + e.getMessage());
          return;
        }
        scheduler.pause(SHORTEST_PAUSE);
      }
    }
  }

  private MailboxOutcome tell(Message.Delivery delivery, DeliveryResult ending) {
    return switch (ending) {
      case DeliveryResult.Done() -> ack(delivery);
      case DeliveryResult.Answered(Body answer) -> {
        MailboxOutcome.OfReply outcome = mailboxes
            .reply(new MailboxCommand.Reply(delivery.mailbox(), delivery.receipt(), answer, true));
        yield switch (outcome) {
          case MailboxOutcome.NoReplyAddress _ -> ack(delivery);
          case MailboxOutcome.Replied _,MailboxOutcome.OldReceipt _ -> outcome;
        };
      }
      case DeliveryResult.Later(Visibility delay, String why) -> mailboxes
          .nack(new MailboxCommand.Nack(delivery.mailbox(), delivery.receipt(), delay, why));
      case DeliveryResult.Never(String why) -> mailboxes
          .reject(new MailboxCommand.Reject(delivery.mailbox(), delivery.receipt(), why), null);
    };
  }

  private MailboxOutcome ack(Message.Delivery delivery) {
    return mailboxes.ack(new MailboxCommand.Ack(delivery.mailbox(), delivery.receipt()));
  }

  private void told(Message.Delivery delivery, MailboxOutcome outcome) {
    if (outcome instanceof MailboxOutcome.OldReceipt) {
      log("message " + delivery.message().id() + " is not ours any more; another worker gets it, or has it");
    }
  }
}
