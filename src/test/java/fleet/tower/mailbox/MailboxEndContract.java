package fleet.tower.mailbox;

import static fleet.tower.mailbox.MailboxWork.ANSWERS;
import static fleet.tower.mailbox.MailboxWork.BOX;
import static fleet.tower.mailbox.MailboxWork.texts;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import fleet.tower.mailbox.MailboxCommand.Send;
import fleet.tower.mailbox.MailboxOutcome.Full.Bound;
import fleet.tower.mailbox.MailboxOutcome.Reason;
import fleet.tower.mailbox.MailboxOutcome.Received;
import fleet.tower.mailbox.MailboxOutcome.Replied;

/**
 * How messages end, in every place for mailboxes: answered, dead, purged; each store has a test that extends this one.
 */
public abstract class MailboxEndContract extends MailboxContract {
  protected MailboxEndContract(TestMailboxes place) {
    super(place);
  }

  @Test
  @DisplayName("WI-14 a reply and its acknowledgement are one step")
  void replied() {
    work.send("question", ANSWERS);
    Message.Delivery question = work.one(30);

    Replied replied = (Replied) work.reply(question, "answer", true);

    assertThat(replied.isLast()).isTrue();
    assertThat(replied.reply().inReplyTo()).isEqualTo(question.message().id());
    assertThat(work.count()).isEqualTo("0 0 0 0");
    assertThat(work.receive(ANSWERS, 10, 30, 5).deliveries()).singleElement()
        .satisfies(answer -> assertThat(answer.message()).isEqualTo(replied.reply()));
    assertThat(work.reply(question, "again", true)).isEqualTo(old(question, Reason.GONE));
    assertThat(work.count(ANSWERS)).isEqualTo("0 1 0 0");
  }

  @Test
  @DisplayName("WI-14 a worker may reply several times before it is done, and never afterwards")
  void severalReplies() {
    work.send("question", ANSWERS);
    Message.Delivery question = work.one(30);

    assertThat(work.reply(question, "one", false)).isInstanceOf(Replied.class);
    assertThat(work.count()).isEqualTo("0 1 0 0");
    assertThat(work.reply(question, "two", true)).isInstanceOf(Replied.class);
    assertThat(work.reply(question, "three", false)).isEqualTo(old(question, Reason.GONE));

    assertThat(texts(work.receive(ANSWERS, 10, 30, 5))).containsExactly("one", "two");
  }

  @Test
  @DisplayName("WI-B2 T12 a worker that lost its message cannot reply: there is one reply, by the current worker")
  void lateReply() {
    work.send("question", ANSWERS);
    Message.Delivery first = work.one(30);
    pass(31);
    assertThat(work.reply(first, "late", true)).isEqualTo(old(first, Reason.EXPIRED));
    Message.Delivery second = work.one(30);

    assertThat(work.reply(first, "late", true)).isEqualTo(old(first, Reason.PASSED_ON));
    assertThat(work.reply(first, "late", false)).isEqualTo(old(first, Reason.PASSED_ON));
    assertThat(work.reply(second, "good", true)).isInstanceOf(Replied.class);

    assertThat(texts(work.receive(ANSWERS, 10, 30, 5))).containsExactly("good");
  }

  @Test
  @DisplayName("WI-14 without a reply_to there is no reply, and the worker keeps the message")
  void noReplyAddress() {
    work.send("question");
    Message.Delivery question = work.one(30);

    assertThat(work.reply(question, "answer", true))
        .isEqualTo(new MailboxOutcome.NoReplyAddress(question.message().id()));
    assertThat(work.ack(question)).isInstanceOf(MailboxOutcome.Acked.class);
  }

  @Test
  @DisplayName("WI-B6 WI-17 a message that kills its workers is a dead letter after the maximum of deliveries")
  void poison() {
    work.send("poison");
    work.send("good");
    for (int count = 1; count <= 3; count++) {
      assertThat(work.receive(1, 30, 3).deliveries()).singleElement().extracting(Message.Delivery::count)
          .isEqualTo((long) count);
      pass(31);
    }

    Received received = work.receive(1, 30, 3);

    assertThat(texts(received)).containsExactly("good");
    Message.DeadLetter letter = received.buried().getFirst();
    assertThat(letter.cause()).isEqualTo(Message.Cause.TOO_MANY_DELIVERIES);
    assertThat(letter.deliveryCount()).isEqualTo(3);
    assertThat(letter.raw()).isEqualTo("\"poison\"");
    assertThat(letter.lastError()).isNull();
    assertThat(letter.firstReceivedAt()).isBetween(letter.enqueuedAt(), letter.deadAt());
    assertThat(store.dead(BOX, 10)).isEqualTo(received.buried());
    assertThat(work.count()).isEqualTo("0 1 0 1");
  }

  @Test
  @DisplayName("WI-17 a dead letter has the last error of a worker, whatever it contains")
  void complaints() {
    work.send("a", ANSWERS);
    Message.Delivery first = work.one(30);
    store.nack(new MailboxCommand.Nack(BOX, first.receipt(), Visibility.NONE, "no \0 such \ud800 host"));
    Message.Delivery second = work.one(30);
    store.nack(new MailboxCommand.Nack(BOX, second.receipt(), Visibility.NONE, null));

    Message.DeadLetter letter = work.receive(1, 30, 2).buried().getFirst();

    assertThat(letter.lastError()).isEqualTo("no \0 such \ud800 host");
    assertThat(letter.replyTo()).isEqualTo(ANSWERS);
  }

  @Test
  @DisplayName("A long list of dead letters is read in batches, in order, without those revived meanwhile")
  void longList() {
    for (int i = 0; i < 30; i++) {
      work.send("m" + i);
      work.reject(work.one(30), "no");
    }
    List<Message.DeadLetter> all = store.dead(BOX, 100);
    assertThat(all).hasSize(30).isSortedAccordingTo(Comparator.comparing(Message.DeadLetter::deadAt))
        .extracting(Message.DeadLetter::raw).startsWith("\"m0\"", "\"m1\"").endsWith("\"m29\"");
    assertThat(store.dead(BOX, 17)).isEqualTo(all.subList(0, 17));
    assertThat(store.dead(BOX, 0)).isEmpty();

    List<Message.DeadLetter> some = new ArrayList<>();
    store.dead(BOX, 100, letter -> some.add(letter) && some.size() < 10);
    assertThat(some).isEqualTo(all.subList(0, 10));

    List<Message.DeadLetter> changing = new ArrayList<>();
    store.dead(BOX, 100, letter -> {
      if (changing.isEmpty()) {
        store.revive(new MailboxCommand.Revive(BOX, Set.of(all.getLast().id())));
      }
      return changing.add(letter);
    });
    assertThat(changing).isEqualTo(all.subList(0, 29));
  }

  @Test
  @DisplayName("WI-17 WI-B14 a worker may reject a message: one step, and no further delivery")
  void rejected() {
    work.send("a");
    Message.Delivery a = work.one(30);

    MailboxOutcome.Rejected rejected = (MailboxOutcome.Rejected) work.reject(a, "not a deployment");

    assertThat(rejected.letter().cause()).isEqualTo(Message.Cause.REJECTED);
    assertThat(rejected.letter().lastError()).isEqualTo("not a deployment");
    assertThat(store.dead(BOX, 10)).containsExactly(rejected.letter());
    assertThat(work.ack(a)).isEqualTo(old(a, Reason.DEAD));
    pass(100);
    assertThat(work.texts(1)).isEmpty();
  }

  @Test
  @DisplayName("WI-B7 an unreadable message is a dead letter, and the next one is delivered")
  void unreadable() {
    work.send("torn");
    work.send("misdirected");
    work.send("nameless");
    work.send("good");
    place.change("UPDATE mailbox_messages SET body = '{\"a\":' WHERE body = '\"torn\"'");
    place.change("UPDATE mailbox_messages SET reply_to = '../x' WHERE body = '\"misdirected\"'");
    place.change("UPDATE mailbox_messages SET id = 'a b' WHERE body = '\"nameless\"'");

    Received received = work.receive(1, 30, 5);

    assertThat(texts(received)).containsExactly("good");
    assertThat(received.buried()).extracting(Message.DeadLetter::raw).containsExactly("{\"a\":", "\"misdirected\"",
        "\"nameless\"");
    assertThat(received.buried()).allSatisfy(letter -> {
      assertThat(letter.cause()).isEqualTo(Message.Cause.UNREADABLE);
      assertThat(letter.deliveryCount()).isZero();
    });
    assertThat(work.count()).isEqualTo("0 1 0 3");
    assertThat(store.dead(BOX, 2)).hasSize(2).extracting(Message.DeadLetter::raw).containsExactly("{\"a\":",
        "\"misdirected\"");
  }

  @Test
  @DisplayName("WI-15 a purge deletes all messages, including leased ones, but not dead letters; those have "
      + "their own purge")
  void purged() {
    work.send("dead");
    work.reject(work.one(30), "no");
    work.send("lent");
    Message.Delivery lent = work.one(30);
    work.send("delayed");
    work.nack(work.one(30), 60);
    work.send("ready");
    store.send(Send.of(ANSWERS, MessageBody.text("other")), new MessageId("other"));
    assertThat(work.count()).isEqualTo("1 1 1 1");
    assertThat(store.count(BOX).messages()).isEqualTo(3);

    assertThat(store.purge(BOX)).isEqualTo(3);
    assertThat(work.count()).isEqualTo("0 0 0 1");
    assertThat(work.ack(lent)).isEqualTo(old(lent, Reason.GONE));
    assertThat(store.purgeDead(BOX)).isEqualTo(1);
    assertThat(store.counts()).containsExactly(new MailboxStore.Count(ANSWERS, 1, 0, 0, 0));
  }

  @Test
  @DisplayName("WI-17 dead letters are revived in their old places, with no deliveries counted; old receipts "
      + "stay invalid; others are refused")
  void revived() {
    MessageId poison = work.send("poison");
    Message.Delivery first = work.one(30);
    work.reject(first, "no use");
    MessageId worn = work.send("worn");
    assertThat(work.receive(1, 0, 1).deliveries()).hasSize(1);
    work.receive(1, 30, 1);
    MessageId torn = work.send("torn");
    place.change("UPDATE mailbox_messages SET body = '{' WHERE body = '\"torn\"'");
    work.receive(1, 30, 5);
    MessageId last = work.send("last");
    assertThat(work.count()).isEqualTo("1 0 0 3");

    for (MessageId id : List.of(last, torn, new MessageId("nobody"))) {
      assertThat(store.revive(new MailboxCommand.Revive(BOX, new LinkedHashSet<>(List.of(poison, id)))))
          .isEqualTo(new MailboxOutcome.NoDeadLetter(BOX, id));
    }
    assertThat(store.revive(new MailboxCommand.Revive(ANSWERS, Set.of(poison))))
        .isEqualTo(new MailboxOutcome.NoDeadLetter(ANSWERS, poison));
    assertThat(work.count()).isEqualTo("1 0 0 3");
    assertThat(store.revive(new MailboxCommand.Revive(BOX, Set.of(worn))))
        .isEqualTo(new MailboxOutcome.Revived(BOX, 1));
    assertThat(work.count()).isEqualTo("2 0 0 2");
    assertThat(store.revive(new MailboxCommand.Revive(BOX, Set.of()))).isEqualTo(new MailboxOutcome.Revived(BOX, 1));
    assertThat(store.revive(new MailboxCommand.Revive(BOX, Set.of()))).isEqualTo(new MailboxOutcome.Revived(BOX, 0));

    assertThat(work.ack(first)).isEqualTo(old(first, Reason.PASSED_ON));
    List<Message.Delivery> deliveries = work.receive(10, 30, 1).deliveries();
    assertThat(deliveries).extracting(it -> it.message().id()).containsExactly(poison, worn, last);
    assertThat(deliveries).allSatisfy(it -> assertThat(it.count()).isEqualTo(1));
    assertThat(store.dead(BOX, 10)).extracting(Message.DeadLetter::id).containsExactly(torn);
  }

  @Test
  @DisplayName("WI-10 a mailbox with a limit accepts no more; leased messages count")
  void limited() {
    Send third = new Send(BOX, null, MessageBody.text("third"), null, OptionalInt.of(2), null);
    work.send("a");
    work.send("b");
    work.one(30);

    assertThat(store.send(third, new MessageId("m3"))).isEqualTo(new MailboxOutcome.Full(BOX, Bound.LIMIT, 2));
    work.ack(work.one(30));
    assertThat(store.send(third, new MessageId("m3"))).isInstanceOf(MailboxOutcome.Sent.class);
  }

  @Test
  @DisplayName("The same id is the same message, sent once; with any other content it is refused")
  void sameId() {
    MessageId id = new MessageId("deploy-1");
    Send send = new Send(BOX, id, MessageBody.text("a"), ANSWERS, OptionalInt.of(1), null);
    MailboxOutcome.Sent first = MailboxWork.sent(store.send(send, id));

    assertThat(store.send(send, id)).isEqualTo(new MailboxOutcome.Sent(first.message(), true));
    assertThat(store.send(new Send(BOX, id, MessageBody.text("b"), ANSWERS, OptionalInt.empty(), null), id))
        .isEqualTo(new MailboxOutcome.IdTaken(id));
    assertThat(store.send(new Send(ANSWERS, id, MessageBody.text("a"), ANSWERS, OptionalInt.empty(), null), id))
        .isEqualTo(new MailboxOutcome.IdTaken(id));
    assertThat(work.count()).isEqualTo("1 0 0 0");
  }

  @Test
  @DisplayName("A receipt is not valid in another mailbox")
  void otherMailbox() {
    work.send("a");
    Message.Delivery a = work.one(30);

    assertThat(store.ack(new MailboxCommand.Ack(ANSWERS, a.receipt()))).isEqualTo(old(a, Reason.GONE));
    assertThat(work.ack(a)).isInstanceOf(MailboxOutcome.Acked.class);
  }
}
