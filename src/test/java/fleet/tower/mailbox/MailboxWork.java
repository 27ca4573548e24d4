package fleet.tower.mailbox;

import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.atomic.AtomicLong;

import org.jspecify.annotations.Nullable;

import fleet.tower.lease.RequestId;
import fleet.tower.mailbox.MailboxCommand.Receive;
import fleet.tower.mailbox.MailboxCommand.Send;
import fleet.tower.mailbox.MailboxOutcome.Received;

/** Short forms of mailbox calls for tests. */
public record MailboxWork(MailboxStore store) {
  public static final MailboxName BOX = new MailboxName("jobs");
  public static final MailboxName ANSWERS = new MailboxName("answers");
  private static final AtomicLong IDS = new AtomicLong();

  public static RequestId newId() {
    return new RequestId("n" + IDS.incrementAndGet());
  }

  public MessageId send(String text) {
    return send(text, null);
  }

  public MessageId send(String text, @Nullable MailboxName replyTo) {
    Send command = new Send(BOX, null, MessageBody.text(text), replyTo, OptionalInt.empty(), null);
    return sent(store.send(command, MessageId.fresh(newId()))).message().id();
  }

  public static MailboxOutcome.Sent sent(MailboxOutcome.OfSend outcome) {
    if (outcome instanceof MailboxOutcome.Sent sent) {
      return sent;
    }
    throw new AssertionError(outcome);
  }

  public Received receive(int most, long visibilitySeconds, int maxDeliveries) {
    return receive(BOX, most, visibilitySeconds, maxDeliveries);
  }

  public Received receive(MailboxName mailbox, int most, long visibilitySeconds, int maxDeliveries) {
    return store.receive(new Receive(mailbox, most, new Visibility(visibilitySeconds), maxDeliveries, null), newId(),
        0);
  }

  /** The one available message. */
  public Message.Delivery one(long visibilitySeconds) {
    List<Message.Delivery> deliveries = receive(1, visibilitySeconds, 1000).deliveries();
    if (deliveries.size() != 1) {
      throw new AssertionError(deliveries);
    }
    return deliveries.getFirst();
  }

  public List<String> texts(int most) {
    return texts(receive(most, 1000, 1000));
  }

  public static List<String> texts(Received received) {
    return received.deliveries().stream().map(it -> it.message().body().text().orElseThrow()).toList();
  }

  public MailboxOutcome.OfAck ack(Message.Delivery delivery) {
    return store.ack(new MailboxCommand.Ack(delivery.mailbox(), delivery.receipt()));
  }

  public MailboxOutcome.OfNack nack(Message.Delivery delivery, long delaySeconds) {
    return store
        .nack(new MailboxCommand.Nack(delivery.mailbox(), delivery.receipt(), new Visibility(delaySeconds), null));
  }

  public MailboxOutcome.OfReject reject(Message.Delivery delivery, String error) {
    return store.reject(new MailboxCommand.Reject(delivery.mailbox(), delivery.receipt(), error));
  }

  public MailboxOutcome.OfExtend extend(Message.Delivery delivery, long seconds) {
    return store
        .extend(new MailboxCommand.Extend(delivery.mailbox(), delivery.receipt(), new Visibility(seconds)));
  }

  public MailboxOutcome.OfReply reply(Message.Delivery delivery, String text, boolean isLast) {
    return store.reply(
        new MailboxCommand.Reply(delivery.mailbox(), delivery.receipt(), MessageBody.text(text), isLast),
        MessageId.fresh(newId()));
  }

  public String count() {
    return count(BOX);
  }

  /** Ready, leased, delayed, dead. */
  public String count(MailboxName mailbox) {
    MailboxStore.Count count = store.count(mailbox);
    return count.ready() + " " + count.leased() + " " + count.delayed() + " " + count.dead();
  }
}
