package fleet.tower.mailbox;

import static fleet.tower.mailbox.MailboxWork.ANSWERS;
import static fleet.tower.mailbox.MailboxWork.BOX;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import fleet.tower.mailbox.MailboxCommand.Send;
import fleet.tower.mailbox.MailboxOutcome.Full;
import fleet.tower.mailbox.MailboxOutcome.Full.Bound;
import fleet.tower.mailbox.MailboxOutcome.Sent;

/** The bounds of mailboxes, in every place for them; each store has a test that extends this one. */
public abstract class MailboxRoomContract extends MailboxContract {
  protected MailboxRoomContract(TestMailboxes place) {
    super(place);
  }

  private static MailboxOutcome.OfSend send(MailboxStore store, MailboxName mailbox, String id, String text) {
    return store.send(Send.of(mailbox, MessageBody.text(text)), new MessageId(id));
  }

  @Test
  @DisplayName("A mailbox has a bounded number of messages; leased ones and dead letters count, also for replies")
  void bounded() {
    MailboxStore bounded = place.open(new MailboxStore.Bounds(3, Long.MAX_VALUE));
    Full full = new Full(BOX, Bound.MESSAGES, 3);
    for (String id : List.of("m1", "m2", "m3")) {
      assertThat(send(bounded, BOX, id, id)).isInstanceOf(Sent.class);
    }
    assertThat(send(bounded, BOX, "m4", "m4")).isEqualTo(full);
    assertThat(bounded.send(new Send(BOX, new MessageId("m1"), MessageBody.text("m1"), null, OptionalInt.empty(), null),
        new MessageId("m1"))).as("a repetition").isInstanceOf(Sent.class);
    Message.Delivery leased = work.one(30);
    bounded.reject(new MailboxCommand.Reject(BOX, work.one(30).receipt(), "no"));
    assertThat(work.count()).isEqualTo("1 1 0 1");
    assertThat(send(bounded, BOX, "m4", "m4")).isEqualTo(full);

    bounded.send(new Send(ANSWERS, null, MessageBody.text("?"), BOX, OptionalInt.empty(), null), new MessageId("q"));
    Receipt question = work.receive(ANSWERS, 1, 30, 5).deliveries().getFirst().receipt();
    MailboxCommand.Reply reply = new MailboxCommand.Reply(ANSWERS, question, MessageBody.text("!"), true);
    assertThat(bounded.reply(reply, new MessageId("r"))).isEqualTo(full);
    work.ack(leased);
    assertThat(bounded.reply(reply, new MessageId("r"))).isInstanceOf(MailboxOutcome.Replied.class);
    assertThat(send(bounded, BOX, "m4", "m4")).isEqualTo(full);
    bounded.purgeDead(BOX);
    assertThat(send(bounded, BOX, "m4", "m4")).isInstanceOf(Sent.class);
    assertThat(send(bounded, BOX, "m5", "m5")).isEqualTo(full);
  }

  @Test
  @DisplayName("A mailbox has a bounded number of bytes, whoever sent them; other mailboxes have their own")
  void bytes() {
    MailboxStore bounded = place.open(new MailboxStore.Bounds(Long.MAX_VALUE, 100));
    work.send("x".repeat(60));
    assertThat(send(bounded, BOX, "m1", "ü".repeat(20))).as("42 bytes").isEqualTo(new Full(BOX, Bound.BYTES, 100));
    assertThat(send(bounded, BOX, "m1", "ü".repeat(18))).as("38 bytes").isInstanceOf(Sent.class);
    assertThat(send(bounded, BOX, "m2", "")).isInstanceOf(Full.class);
    assertThat(send(bounded, ANSWERS, "m2", "")).isInstanceOf(Sent.class);
    work.ack(work.one(30));
    assertThat(send(bounded, BOX, "m3", "x".repeat(60))).isInstanceOf(Sent.class);
  }

  @Test
  @DisplayName("A mailbox that others purged and filled again, in places that were used before, is as full")
  void usedPlaces() {
    MailboxStore bounded = place.open(new MailboxStore.Bounds(20, Long.MAX_VALUE));
    for (int i = 0; i < 50; i++) {
      send(store, ANSWERS, "a" + i, "");
    }
    assertThat(send(bounded, BOX, "b1", "")).isInstanceOf(Sent.class);
    assertThat(send(bounded, BOX, "b2", "")).isInstanceOf(Sent.class);
    store.purge(ANSWERS);
    store.purge(BOX);
    for (int i = 0; i < 30; i++) {
      work.send("c" + i);
    }
    assertThat(send(bounded, BOX, "b3", "")).isInstanceOf(Full.class);
    for (int i = 0; i < 11; i++) {
      work.ack(work.one(30));
    }
    assertThat(send(bounded, BOX, "b3", "")).isInstanceOf(Sent.class);
    assertThat(send(bounded, BOX, "b4", "")).isInstanceOf(Full.class);
  }

  @Test
  @DisplayName("Of many concurrent senders, from near and far, exactly as many as there is room for succeed")
  void together() throws Exception {
    int room = 300;
    for (int i = 0; i < 10; i++) {
      work.send("before" + i);
    }
    List<Callable<Integer>> senders = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      MailboxStore mine = place.open(new MailboxStore.Bounds(room, Long.MAX_VALUE));
      int number = i;
      senders.add(() -> {
        int sent = 0;
        for (int message = 0; message < 50; message++) {
          sent += send(mine, BOX, number + "-" + message, "") instanceof Sent ? 1 : 0;
        }
        return sent;
      });
    }
    int sent = 0;
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (Future<Integer> sender : threads.invokeAll(senders)) {
        sent += sender.get();
      }
    }
    assertThat(sent).isEqualTo(room - 10);
    assertThat(work.count()).isEqualTo(room + " 0 0 0");
  }
}
