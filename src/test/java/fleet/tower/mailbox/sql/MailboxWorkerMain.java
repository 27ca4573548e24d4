package fleet.tower.mailbox.sql;

import java.time.Duration;
import java.util.Random;

import fleet.tower.lease.RequestId;
import fleet.tower.mailbox.MailboxCommand;
import fleet.tower.mailbox.MailboxOutcome;
import fleet.tower.mailbox.MailboxStore;
import fleet.tower.mailbox.MailboxWork;
import fleet.tower.mailbox.Message;
import fleet.tower.mailbox.MessageBody;
import fleet.tower.mailbox.MessageId;
import fleet.tower.mailbox.Visibility;
import fleet.tower.platform.StorageException;
import fleet.tower.platform.time.SystemTime;

/**
 * A worker that receives, and acknowledges, answers or returns, until it is killed. It prints each action on a message
 * before and after the action.
 */
final class MailboxWorkerMain {
  /** Nothing expires by itself while a test runs; the test lets time pass. */
  static final long LEASE_SECONDS = 10_000;

  private final MailboxStore store;
  private final String name;
  private final Random random;
  private int ids;

  private MailboxWorkerMain(MailboxStore store, String name, Random random) {
    this.store = store;
    this.name = name;
    this.random = random;
  }

  /** Arguments: the database's URL, a name that no other worker has, a seed. */
  static void main(String[] arguments) {
    try (MailboxStore store = new SqlMailboxes(arguments[0], SystemTime.source()).open()) {
      MailboxWorkerMain worker = new MailboxWorkerMain(store, arguments[1], new Random(Long.parseLong(arguments[2])));
      for (;;) {
        try {
          worker.work();
        } catch (StorageException e) {
          System.out.println("unknown");
        }
      }
    }
  }

  private RequestId newId() {
    return new RequestId(name + "-" + ++ids);
  }

  private void work() {
    MailboxOutcome.Received received = store.receive(new MailboxCommand.Receive(MailboxWork.BOX, 1 + random.nextInt(3),
        new Visibility(LEASE_SECONDS), 1000, null), newId(), 0);
    if (received.deliveries().isEmpty()) {
      System.out.println("idle");
      SystemTime.scheduler().pause(Duration.ofMillis(25));
    }
    received.deliveries().forEach(delivery -> say("got", delivery));
    received.deliveries().forEach(this::end);
  }

  private void say(String what, Message.Delivery delivery) {
    System.out.println(what + " " + delivery.message().id() + " " + delivery.count());
  }

  private void end(Message.Delivery delivery) {
    switch (random.nextInt(4)) {
      case 0 -> {
        say("returning", delivery);
        expect(store.nack(new MailboxCommand.Nack(MailboxWork.BOX, delivery.receipt(), Visibility.NONE, null)));
        say("returned", delivery);
      }
      case 1 -> {
        say("ending", delivery);
        expect(store.ack(new MailboxCommand.Ack(MailboxWork.BOX, delivery.receipt())));
        say("ended", delivery);
      }
      default -> {
        expect(store.extend(new MailboxCommand.Extend(MailboxWork.BOX, delivery.receipt(), Visibility.DEFAULT)));
        say("ending", delivery);
        expect(store.reply(new MailboxCommand.Reply(MailboxWork.BOX, delivery.receipt(),
            MessageBody.text(delivery.message().id().value()), true), MessageId.fresh(newId())));
        say("ended", delivery);
      }
    }
  }

  private static void expect(MailboxOutcome outcome) {
    if (outcome instanceof MailboxOutcome.Refusal) {
      System.out.println("refused " + outcome);
    }
  }
}
