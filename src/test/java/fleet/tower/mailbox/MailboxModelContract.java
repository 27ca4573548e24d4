package fleet.tower.mailbox;

import static fleet.tower.mailbox.MailboxWork.ANSWERS;
import static fleet.tower.mailbox.MailboxWork.BOX;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;

import org.assertj.core.data.Offset;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import fleet.tower.harness.Extent;
import fleet.tower.mailbox.MailboxCommand.Send;
import fleet.tower.mailbox.MailboxOutcome.Reason;

/**
 * A store and the model do the same, whatever is done; each store has a test that extends this one. Time goes on by
 * thousands of seconds and leases end between them, so that the time which the test itself takes decides nothing.
 */
public abstract class MailboxModelContract {
  private static final int SEQUENCES = Extent.of(6, 12, 180);
  private static final int STEPS = 120;
  private static final int[] VISIBILITIES = {0, 500, 1500, 2500, 10_500, 43_200};

  private final Set<MessageTransition> visited = EnumSet.noneOf(MessageTransition.class);

  /** An empty place. */
  protected abstract TestMailboxes place();

  @Test
  @DisplayName("WI-16 any operations in any order: no loss, no double lease, counts grow by one, old receipts "
      + "are invalid, every transition")
  void likeTheModel() {
    try (TestMailboxes place = place()) {
      List<MailboxStore> stores = List.of(place.open(), place.open());
      for (long seed = 1; seed <= SEQUENCES; seed++) {
        try {
          new Sequence(place, stores, new Random(seed)).run();
        } catch (RuntimeException | AssertionError e) {
          throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
        }
      }
    }
    assertThat(visited).containsExactlyInAnyOrder(MessageTransition.values());
  }

  /** One sequence of steps on an empty place. */
  private final class Sequence {
    private final TestMailboxes place;
    private final List<MailboxStore> stores;
    private final Random random;
    private final MailboxModel model = new MailboxModel();
    private final List<Message.Delivery> deliveries = new ArrayList<>();
    private final Map<MessageId, Long> counts = new HashMap<>();
    private final Set<Receipt> receipts = new HashSet<>();

    Sequence(TestMailboxes place, List<MailboxStore> stores, Random random) {
      this.place = place;
      this.stores = stores;
      this.random = random;
    }

    void run() {
      for (MailboxName mailbox : List.of(BOX, ANSWERS)) {
        stores.getFirst().purge(mailbox);
        stores.getFirst().purgeDead(mailbox);
      }
      for (int step = 0; step < STEPS; step++) {
        step(stores.get(random.nextInt(stores.size())));
        for (MailboxName mailbox : List.of(BOX, ANSWERS)) {
          MailboxStore store = stores.get(random.nextInt(stores.size()));
          assertThat(store.count(mailbox)).isEqualTo(model.count(mailbox));
          assertThat(store.dead(mailbox, 1000)).hasSize((int) model.count(mailbox).dead());
          assertThat(store.untilVisible(mailbox).filter(Duration::isZero).isPresent())
              .isEqualTo(model.count(mailbox).ready() > 0);
        }
      }
      visited.addAll(model.visited());
    }

    private void step(MailboxStore store) {
      switch (random.nextInt(20)) {
        case 0, 1, 2, 3 -> send(store);
        case 4, 5, 6, 7, 8 -> receive(store);
        case 9, 10 -> pass();
        case 11 -> purge(store);
        case 12 -> revive(store);
        default -> byReceipt(store);
      }
    }

    private void pass() {
      int seconds = 1000 * (1 + random.nextInt(random.nextInt(8) == 0 ? 44 : 3));
      place.pass(Duration.ofSeconds(seconds));
      model.pass(seconds);
    }

    private void send(MailboxStore store) {
      MailboxName replyTo = random.nextBoolean() ? ANSWERS : random.nextBoolean() ? BOX : null;
      MessageId id = MessageId.fresh(MailboxWork.newId());
      store.send(new Send(BOX, null, MessageBody.text(id.value()), replyTo, OptionalInt.empty(), null), id);
      model.send(id, BOX, replyTo);
    }

    private void receive(MailboxStore store) {
      MailboxName mailbox = random.nextInt(4) == 0 ? ANSWERS : BOX;
      int most = 1 + random.nextInt(4);
      int visibility = anyVisibility();
      int maxDeliveries = random.nextInt(3) == 0 ? 2 : 6;
      MailboxOutcome.Received received = new MailboxWork(store).receive(mailbox, most, visibility, maxDeliveries);

      String got = received.deliveries().stream().map(it -> it.message().id() + " " + it.count()).toList() + " "
          + received.buried().stream().map(it -> it.id().value()).toList();
      assertThat(got).isEqualTo(model.receive(mailbox, most, visibility, maxDeliveries));
      model.hand(received.deliveries());
      for (Message.Delivery delivery : received.deliveries()) {
        assertThat(receipts.add(delivery.receipt())).as("a receipt is never given twice").isTrue();
        assertThat(delivery.count()).isEqualTo(counts.merge(delivery.message().id(), 1L, Long::sum));
        deliveries.add(delivery);
      }
    }

    private int anyVisibility() {
      return VISIBILITIES[random.nextInt(VISIBILITIES.length)];
    }

    private void purge(MailboxStore store) {
      MailboxName mailbox = random.nextBoolean() ? ANSWERS : BOX;
      if (random.nextBoolean()) {
        assertThat(store.purgeDead(mailbox)).isEqualTo(model.purge(mailbox, true));
      } else if (random.nextInt(4) == 0) {
        assertThat(store.purge(mailbox)).isEqualTo(model.purge(mailbox, false));
      }
    }

    /** All dead letters, or some, or one id that need not be dead. */
    private void revive(MailboxStore store) {
      MailboxName mailbox = random.nextInt(4) == 0 ? ANSWERS : BOX;
      Set<MessageId> dead = new HashSet<>();
      store.dead(mailbox, 1000).stream().filter(_ -> random.nextBoolean()).forEach(letter -> dead.add(letter.id()));
      Set<MessageId> named = new HashSet<>();
      if (random.nextInt(3) > 0) {
        named.addAll(dead);
        if (random.nextInt(3) == 0 && !deliveries.isEmpty()) {
          named.add(deliveries.getLast().message().id());
        }
      }
      long expected = model.revive(mailbox, named);
      switch (store.revive(new MailboxCommand.Revive(mailbox, named))) {
        case MailboxOutcome.Revived(MailboxName _, long messages) -> {
          assertThat(messages).isEqualTo(expected);
          (named.isEmpty() ? model.fresh() : named).forEach(counts::remove);
        }
        case MailboxOutcome.NoDeadLetter(MailboxName _, MessageId id) -> {
          assertThat(expected).isEqualTo(-1);
          assertThat(named).contains(id);
        }
      }
    }

    /** With any receipt that there ever was, more often with a late one. */
    private void byReceipt(MailboxStore store) {
      if (deliveries.isEmpty()) {
        return;
      }
      int back = random.nextInt(random.nextBoolean() ? Math.min(4, deliveries.size()) : deliveries.size());
      Message.Delivery delivery = deliveries.get(deliveries.size() - 1 - back);
      Optional<Reason> reason = model.reason(delivery.mailbox(), delivery.receipt());
      MailboxOutcome outcome = use(new MailboxWork(store), delivery, reason.isEmpty());
      if (outcome instanceof MailboxOutcome.OldReceipt(Receipt _, Reason given)) {
        assertThat(Optional.of(given)).isEqualTo(reason);
      } else {
        assertThat(reason).isEmpty();
      }
    }

    private MailboxOutcome use(MailboxWork work, Message.Delivery delivery, boolean isGood) {
      Receipt receipt = delivery.receipt();
      int seconds = anyVisibility();
      MailboxOutcome outcome = switch (random.nextInt(7)) {
        case 0 -> work.reject(delivery, "no");
        case 1 -> work.nack(delivery, seconds);
        case 2, 3 -> work.reply(delivery, "answer", random.nextBoolean());
        case 4, 5 -> work.extend(delivery, seconds);
        default -> work.ack(delivery);
      };
      if (isGood) {
        follow(outcome, receipt, seconds);
      }
      return outcome;
    }

    private void follow(MailboxOutcome outcome, Receipt receipt, int seconds) {
      switch (outcome) {
        case MailboxOutcome.Acked _ -> model.ack(receipt);
        case MailboxOutcome.Returned _ -> model.nack(receipt, seconds);
        case MailboxOutcome.Rejected _ -> model.reject(receipt);
        case MailboxOutcome.Extended extended -> assertThat(extended.remaining().toSeconds())
            .isCloseTo(model.extend(receipt, seconds), Offset.offset(200L));
        case MailboxOutcome.Replied(Message reply, boolean isLast) -> assertThat(
            model.reply(receipt, reply.id(), isLast)).isEqualTo(reply.mailbox());
        case MailboxOutcome.NoReplyAddress(MessageId id) -> assertThat(noAddress(receipt, id)).isNull();
        case MailboxOutcome.Sent _,MailboxOutcome.Received _,MailboxOutcome.IdTaken _,MailboxOutcome.Full _,MailboxOutcome.OldReceipt _,MailboxOutcome.Revived _,MailboxOutcome.NoDeadLetter _ ->
          throw new AssertionError(outcome + " where the receipt is good");
      }
    }

    private @Nullable MailboxName noAddress(Receipt receipt, MessageId id) {
      return model.reply(receipt, id, true);
    }
  }

  @Test
  @DisplayName("WI-16 the transitions are as intended: a leased message is not leased again, and a deleted one is gone")
  void drawn() {
    for (Message.State state : Message.State.values()) {
      Set<String> names = new TreeSet<>();
      Arrays.stream(MessageTransition.values()).filter(it -> it.startsFrom(state))
          .forEach(it -> names.add(it.toString()));
      assertThat(names).as(state.toString()).containsExactlyInAnyOrder(switch (state) {
        case READY -> new String[]{"receive", "bury", "purge"};
        case LEASED -> new String[]{"extend", "ack", "reply", "nack", "delay", "reject", "expire", "purge"};
        case DELAYED -> new String[]{"return", "purge"};
        case DEAD -> new String[]{"revive", "purge_dead"};
        case GONE -> new String[]{"send"};
      });
    }
    assertThat(Arrays.stream(MessageTransition.values()).filter(it -> it.by() == MessageTransition.By.RECEIPT))
        .allSatisfy(it -> assertThat(it.from()).containsExactly(Message.State.LEASED));
  }
}
