package fleet.tower.mailbox;

import static fleet.tower.mailbox.MailboxWork.ANSWERS;
import static fleet.tower.mailbox.MailboxWork.BOX;
import static fleet.tower.mailbox.MailboxWork.texts;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.IntStream;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import fleet.tower.lock.ConcurrentCalls;
import fleet.tower.mailbox.MailboxCommand.Receive;
import fleet.tower.mailbox.MailboxCommand.Send;
import fleet.tower.mailbox.MailboxOutcome.Extended;
import fleet.tower.mailbox.MailboxOutcome.OldReceipt;
import fleet.tower.mailbox.MailboxOutcome.Reason;
import fleet.tower.mailbox.MailboxOutcome.Received;
import fleet.tower.mailbox.MailboxOutcome.Returned;

/** The contract of every mailbox store; each store has a test that extends this class. */
public abstract class MailboxStoreContract extends MailboxContract {
  protected MailboxStoreContract(TestMailboxes place) {
    super(place);
  }

  @Test
  @DisplayName("An unused store has no messages, and a query does not create it")
  void nothing() {
    assertThat(work.count()).isEqualTo("0 0 0 0");
    assertThat(store.counts()).isEmpty();
    assertThat(store.untilVisible(BOX)).isEmpty();
    assertThat(store.dead(BOX, 10)).isEmpty();
    assertThat(store.purge(BOX)).isZero();
    assertThat(work.receive(1, 30, 5)).isEqualTo(Received.NOTHING);
  }

  @Test
  @DisplayName("WI-10 WI-12 a message is received as it was sent, with a receipt, as its first delivery, and "
      + "then hidden")
  void sendAndReceive() {
    MessageBody body = new MessageBody(" {\"a\": [1, \"\\u0000 \\ud800 ü\", null]} ");
    Message sent = MailboxWork.sent(store.send(new Send(BOX, null, body, ANSWERS, OptionalInt.empty(), null),
        new MessageId("msg_1"))).message();

    Message.Delivery delivery = work.one(30);

    assertThat(sent).isEqualTo(new Message(new MessageId("msg_1"), BOX, body, ANSWERS, null, sent.enqueuedAt()));
    assertThat(delivery.message()).isEqualTo(sent);
    assertThat(delivery.message().body().json()).isEqualTo("{\"a\": [1, \"\\u0000 \\ud800 ü\", null]}");
    assertThat(delivery.count()).isEqualTo(1);
    assertThat(delivery.deadlineNanos()).isEqualTo(30_000_000_000L);
    assertThat(Duration.between(sent.enqueuedAt(), delivery.visibleAt())).isBetween(Duration.ofSeconds(30),
        Duration.ofSeconds(40));
    assertThat(Receipt.of(delivery.receipt().handle())).isEqualTo(delivery.receipt());
    assertThat(work.receive(1, 30, 5)).isEqualTo(Received.NOTHING);
    assertThat(work.count()).isEqualTo("0 1 0 0");
  }

  @Test
  @DisplayName("WI-15 first in, first out among the visible; a batch is in order, and mailboxes do not mix")
  void inOrder() {
    for (String text : List.of("a", "b", "c", "d")) {
      work.send(text);
    }
    store.send(Send.of(ANSWERS, MessageBody.text("other")), new MessageId("other"));

    assertThat(work.texts(3)).containsExactly("a", "b", "c");
    assertThat(work.texts(10)).containsExactly("d");
    assertThat(texts(work.receive(ANSWERS, 10, 30, 5))).containsExactly("other");
  }

  @Test
  @DisplayName("What a receiver has goes back to its place at once, with the delivery counted and without its receipt; "
      + "what others have stays")
  void givenBackAll() {
    MessageId first = work.send("a");
    work.send("b");
    MessageId third = work.send("c");
    Message.Delivery a = received("ci");
    Message.Delivery b = received("bob");
    Message.Delivery c = received("ci");
    MessageId ended = work.send("d");
    received("ci", 1);
    pass(10);

    assertThat(store.giveBack("ci")).containsExactlyInAnyOrder(new MailboxStore.GivenBack(first, BOX),
        new MailboxStore.GivenBack(third, BOX));

    assertThat(store.giveBack("ci")).isEmpty();
    assertThat(work.ack(a)).isInstanceOf(OldReceipt.class);
    assertThat(work.extend(c, 60)).isInstanceOf(OldReceipt.class);
    assertThat(work.count()).isEqualTo("3 1 0 0");
    assertThat(work.receive(10, 30, 5).deliveries()).extracting(it -> it.message().id() + " " + it.count())
        .containsExactly(first + " 2", third + " 2", ended + " 2");
    assertThat(work.ack(b)).isInstanceOf(MailboxOutcome.Acked.class);
  }

  private Message.Delivery received(String receiver) {
    return received(receiver, 1000);
  }

  private Message.Delivery received(String receiver, long seconds) {
    return store.receive(new Receive(BOX, 1, new Visibility(seconds), 5, null, receiver), MailboxWork.newId(), 0)
        .deliveries().getFirst();
  }

  @Test
  @DisplayName("WI-B15 a redelivered message keeps its place before all later ones")
  void oldPlace() {
    work.send("a");
    work.send("b");
    Message.Delivery a = work.one(100);
    Message.Delivery b = work.one(100);
    work.send("c");
    work.nack(b, 50);
    assertThat(work.texts(10)).containsExactly("c");
    pass(60);
    assertThat(work.nack(a, 0)).isInstanceOf(Returned.class);

    assertThat(work.texts(10)).containsExactly("a", "b");
  }

  @Test
  @DisplayName("WI-B15 the first of two redelivered messages is received first, even if it became available last")
  void firstOfTwo() {
    work.send("a");
    work.send("b");
    Message.Delivery a = work.one(100);
    work.nack(work.one(100), 0);
    pass(10);
    work.nack(a, 0);

    assertThat(work.texts(1)).containsExactly("a");
    assertThat(work.texts(1)).containsExactly("b");
  }

  @Test
  @DisplayName("WI-13 an acknowledged message is gone; acknowledging it again reports that")
  void acknowledged() {
    work.send("a");
    Message.Delivery a = work.one(30);

    assertThat(work.ack(a)).isEqualTo(new MailboxOutcome.Acked(a.message().id()));
    assertThat(work.ack(a)).isEqualTo(old(a, Reason.GONE));
    assertThat(work.count()).isEqualTo("0 0 0 0");
    pass(100);
    assertThat(work.texts(1)).isEmpty();
  }

  @Test
  @DisplayName("WI-5 WI-12 without progress the lease expires: redelivered with a new receipt, counted, and old "
      + "receipts are invalid")
  void runsOut() {
    work.send("a");
    Message.Delivery first = work.one(30);
    pass(31);
    assertThat(work.count()).isEqualTo("1 0 0 0");
    assertThat(work.ack(first)).isEqualTo(old(first, Reason.EXPIRED));
    assertThat(work.extend(first, 30)).isEqualTo(old(first, Reason.EXPIRED));

    Message.Delivery second = work.one(30);

    assertThat(second.message().id()).isEqualTo(first.message().id());
    assertThat(second.count()).isEqualTo(2);
    assertThat(second.receipt()).isNotEqualTo(first.receipt());
    assertThat(work.ack(first)).isEqualTo(old(first, Reason.PASSED_ON));
    assertThat(work.nack(first, 0)).isEqualTo(old(first, Reason.PASSED_ON));
    assertThat(work.extend(first, 30)).isEqualTo(old(first, Reason.PASSED_ON));
    assertThat(work.reject(first, "no")).isEqualTo(old(first, Reason.PASSED_ON));
    assertThat(work.ack(second)).isInstanceOf(MailboxOutcome.Acked.class);
  }

  @Test
  @DisplayName("WI-13 a returned message is offered at once, or after its delay; its receipt is invalid, and "
      + "the count stays")
  void givenBack() {
    work.send("a");
    Message.Delivery first = work.one(30);
    assertThat(work.nack(first, 0)).isInstanceOf(Returned.class);
    assertThat(work.ack(first)).isEqualTo(old(first, Reason.PASSED_ON));
    Message.Delivery second = work.one(30);
    assertThat(second.count()).isEqualTo(2);

    Returned later = (Returned) work.nack(second, 60);

    assertThat(Duration.between(second.visibleAt(), later.visibleAt())).isBetween(Duration.ofSeconds(29),
        Duration.ofSeconds(40));
    assertThat(work.count()).isEqualTo("0 0 1 0");
    assertThat(work.ack(second)).isEqualTo(old(second, Reason.PASSED_ON));
    pass(59 - 20);
    assertThat(work.texts(1)).isEmpty();
    pass(22);
    assertThat(work.one(30).count()).isEqualTo(3);
  }

  @Test
  @DisplayName("WI-B1 an extension counts from now, and never makes a lease shorter")
  void extended() {
    work.send("a");
    Message.Delivery a = work.one(1800);

    Extended shorter = (Extended) work.extend(a, 300);
    assertThat(shorter.visibleAt()).isEqualTo(a.visibleAt());
    assertThat(shorter.remaining()).isBetween(Duration.ofSeconds(1700), Duration.ofSeconds(1800));
    assertThat(((Extended) work.extend(a, 0)).visibleAt()).isEqualTo(a.visibleAt());
    pass(1700);
    Extended longer = (Extended) work.extend(a, 300);
    assertThat(longer.remaining()).isEqualTo(Duration.ofMinutes(5));

    pass(200);
    assertThat(work.texts(1)).isEmpty();
    assertThat(work.count()).isEqualTo("0 1 0 0");
    pass(101);
    assertThat(work.texts(1)).containsExactly("a");
  }

  @Test
  @DisplayName("WI-B15 no lease lasts more than twelve hours, however often it is extended")
  void notForEver() {
    work.send("a");
    Message.Delivery a = work.one(43_000);
    pass(42_900);
    Extended most = (Extended) work.extend(a, 43_200);
    assertThat(most.remaining()).isBetween(Duration.ofSeconds(280), Duration.ofSeconds(300));
    pass(280);
    assertThat(((Extended) work.extend(a, 43_200)).remaining()).isBetween(Duration.ZERO, Duration.ofSeconds(20));
    pass(21);

    assertThat(work.extend(a, 43_200)).isEqualTo(old(a, Reason.EXPIRED));
    assertThat(work.one(30).count()).isEqualTo(2);
  }

  @Test
  @DisplayName("WI-11 a visibility of 0 shows the next message and leaves it to others")
  void visibilityZero() {
    work.send("a");
    Message.Delivery a = work.one(0);

    assertThat(work.ack(a)).isEqualTo(old(a, Reason.EXPIRED));
    assertThat(work.extend(a, 30)).isEqualTo(old(a, Reason.EXPIRED));
    assertThat(work.one(30).count()).isEqualTo(2);
  }

  private void address(MailboxName mailbox, String text, @Nullable String audience) {
    MailboxWork.sent(store.send(new Send(mailbox, null, MessageBody.text(text), null, OptionalInt.empty(), audience),
        MessageId.fresh(MailboxWork.newId())));
  }

  private static Receive receiving(int most, MailboxCommand.Selection selection) {
    return new Receive(BOX, most, new Visibility(30), 1, selection);
  }

  private List<String> selected(int most, MailboxCommand.Selection selection) {
    return MailboxWork.texts(store.receive(receiving(most, selection), MailboxWork.newId(), 0));
  }

  @Test
  @DisplayName("A receiver gets the messages of its audiences in order; others stay, and no delivery is counted")
  void audiences() {
    MailboxCommand.Selection blue = new MailboxCommand.Selection(Set.of("b1ue", "c3"), true);
    MailboxCommand.Selection onlyRed = new MailboxCommand.Selection(Set.of("5ed"), false);
    address(BOX, "red", "5ed");
    address(BOX, "blue 1", "b1ue");
    address(BOX, "all", null);
    address(BOX, "blue 2", "b1ue");
    address(BOX, "prefix", "b1u");

    assertThat(store.audiences(BOX)).containsExactlyInAnyOrder("5ed", "b1ue", "b1u");
    assertThat(store.untilVisible(receiving(1, blue))).contains(Duration.ZERO);
    assertThat(selected(1, blue)).containsExactly("blue 1");
    assertThat(selected(1, blue)).containsExactly("all");
    assertThat(selected(1, blue)).containsExactly("blue 2");
    assertThat(selected(10, blue)).isEmpty();
    assertThat(store.untilVisible(receiving(1, blue)).orElseThrow()).isPositive();
    assertThat(work.count()).isEqualTo("2 3 0 0");
    for (int i = 0; i < 3; i++) {
      assertThat(selected(10, new MailboxCommand.Selection(Set.of(), true))).isEmpty();
    }
    assertThat(selected(10, onlyRed)).as("its only delivery is left").containsExactly("red");
    assertThat(work.texts(10)).as("a receiver of everything").containsExactly("prefix");
    pass(31);
    assertThat(selected(10, onlyRed)).as("it has had its delivery").isEmpty();
    assertThat(work.count()).as("an expired lease makes messages for others ready").isEqualTo("3 1 0 1");
  }

  @Test
  @DisplayName("The time until a message is available is known without receiving it")
  void untilVisible() {
    work.send("a");
    assertThat(store.untilVisible(BOX)).contains(Duration.ZERO);
    Message.Delivery a = work.one(30);
    assertThat(store.untilVisible(BOX).orElseThrow()).isBetween(Duration.ofSeconds(20), Duration.ofSeconds(30));
    work.nack(a, 10);
    assertThat(store.untilVisible(BOX).orElseThrow()).isBetween(Duration.ofSeconds(1), Duration.ofSeconds(10));
    pass(11);
    assertThat(store.untilVisible(BOX)).contains(Duration.ZERO);
    assertThat(work.count()).isEqualTo("1 0 0 0");
  }

  @Test
  @DisplayName("WI-15 more than a thousand messages that become due at once are all delivered, each once")
  void manyComeDue() {
    work.send("makes the table");
    store.purge(BOX);
    place.change("""
        INSERT INTO mailbox_messages (id, mailbox, state, body, enqueued_at, visible_at) WITH RECURSIVE n(i) AS \
        (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1100) \
        SELECT 'm' || i, 'jobs', 'delayed', '"m' || i || '"', 0, 0 FROM n""");

    Set<String> seen = new HashSet<>();
    for (int i = 0; i < 110; i++) {
      seen.addAll(work.texts(10));
    }

    assertThat(seen).hasSize(1100);
    assertThat(work.texts(1)).isEmpty();
  }

  @Test
  @DisplayName("WI-16 among many concurrent receivers no message is leased twice, and none is lost")
  void together() {
    int workers = 8;
    List<String> sent = IntStream.range(0, 400).mapToObj(i -> "m" + i).toList();
    List<MailboxStore> stores = List.of(store, place.open(), place.open());
    List<String> got = Collections.synchronizedList(new ArrayList<>());
    ConcurrentCalls.call(IntStream.range(0, workers).<ConcurrentCalls.Work<Boolean>>mapToObj(worker -> () -> {
      MailboxWork own = new MailboxWork(stores.get(worker % stores.size()));
      for (int i = worker; i < sent.size(); i += workers) {
        own.send(sent.get(i));
        for (Message.Delivery delivery : own.receive(3, 1000, 5).deliveries()) {
          assertThat(delivery.count()).isEqualTo(1);
          got.add(delivery.message().body().text().orElseThrow());
          assertThat(own.ack(delivery)).isInstanceOf(MailboxOutcome.Acked.class);
        }
      }
      return true;
    }).toList());
    List<String> rest = work.texts(10);
    while (!rest.isEmpty()) {
      got.addAll(rest);
      rest = work.texts(10);
    }

    assertThat(got).doesNotHaveDuplicates().containsExactlyInAnyOrderElementsOf(sent);
  }

  @Test
  @DisplayName("WI-13 of many concurrent uses of one receipt, exactly one succeeds")
  void oneReceipt() {
    for (int round = 0; round < 20; round++) {
      work.send("a", ANSWERS);
      Message.Delivery a = work.one(1000);
      List<MailboxStore> stores = List.of(store, place.open());
      List<MailboxOutcome> outcomes = ConcurrentCalls
          .call(IntStream.range(0, 4).<ConcurrentCalls.Work<MailboxOutcome>>mapToObj(i -> () -> {
            MailboxWork own = new MailboxWork(stores.get(i % 2));
            return i < 2 ? own.reply(a, "answer", true) : own.ack(a);
          }).toList());

      assertThat(outcomes).filteredOn(outcome -> !(outcome instanceof OldReceipt)).hasSize(1);
      stores.getLast().close();
    }
    assertThat(work.count()).isEqualTo("0 0 0 0");
    assertThat(store.count(ANSWERS).messages()).isLessThanOrEqualTo(20);
  }

  @Test
  @DisplayName("Everything stored is visible to later processes")
  void kept() {
    work.send("a");
    Message.Delivery a = work.one(1000);
    work.send("b");
    work.reject(work.one(1000), "no");
    Instant deadAt = store.dead(BOX, 1).getFirst().deadAt();
    store.close();

    MailboxWork later = new MailboxWork(place.open());
    assertThat(later.count()).isEqualTo("0 1 0 1");
    assertThat(later.store().dead(BOX, 1).getFirst().deadAt()).isEqualTo(deadAt);
    assertThat(later.ack(a)).isInstanceOf(MailboxOutcome.Acked.class);
  }
}
