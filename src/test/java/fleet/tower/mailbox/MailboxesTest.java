package fleet.tower.mailbox;

import static fleet.tower.lease.Actors.ACTOR;
import static fleet.tower.lease.Actors.ORIGIN;
import static fleet.tower.mailbox.MailboxWork.ANSWERS;
import static fleet.tower.mailbox.MailboxWork.BOX;
import static fleet.tower.mailbox.MailboxWork.texts;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.audit.AuditEvent;
import fleet.tower.lease.keepalive.LeaseExtender;
import fleet.tower.lease.keepalive.LeaseExtender.Extendable;
import fleet.tower.lease.keepalive.ProgressSignal;
import fleet.tower.mailbox.MailboxCommand.Receive;
import fleet.tower.mailbox.MailboxCommand.Send;
import fleet.tower.mailbox.MailboxOutcome.Received;
import fleet.tower.mailbox.sql.SqlMailboxes;
import fleet.tower.platform.InvalidValue;
import fleet.tower.platform.time.Cancellation;
import fleet.tower.platform.time.ManualTime;
import fleet.tower.platform.time.Notices;

/** The use cases on a real store; waits use manual time. */
class MailboxesTest {
  private static final Receive ONE = Receive.one(BOX, Visibility.DEFAULT);
  private static final Duration HOUR = Duration.ofHours(1);

  private final ManualTime time = new ManualTime();
  private final List<AuditEvent> audit = Collections.synchronizedList(new ArrayList<>());
  private final SqlMailboxes database;
  private final Mailboxes mailboxes;
  private final MailboxWork elsewhere;
  private final Cancellation cancellation = new Cancellation();
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

  MailboxesTest(@TempDir Path home) {
    database = new SqlMailboxes("jdbc:sqlite:" + home.resolve("tower.db"), time);
    mailboxes = new Mailboxes(database.open(), audit::addAll, time, time, MailboxWork::newId,
        Mailboxes.POLL_INTERVAL, Notices.NONE);
    elsewhere = new MailboxWork(database.open());
  }

  @AfterEach
  void close() {
    cancellation.cancel();
    threads.close();
    mailboxes.close();
    elsewhere.store().close();
  }

  private Future<Received> receive(Receive command) {
    return threads.submit(() -> mailboxes.receive(command, HOUR, cancellation, () -> true));
  }

  /** Waits until that many waiters have checked, found nothing, and sleep. */
  private void awaitSleepers(int count) {
    while (time.pendingDelays().size() < count) {
      Thread.onSpinWait();
    }
  }

  private void send(String text) {
    mailboxes.send(Send.of(BOX, MessageBody.text(text)));
  }

  @Test
  @DisplayName("WI-11 a receive without a wait returns the available messages, or none")
  void noWait() {
    assertThat(mailboxes.receive(ONE, Duration.ZERO, cancellation, () -> true)).isEqualTo(Received.NOTHING);
    send("a");
    assertThat(texts(mailboxes.receive(ONE, Duration.ZERO, cancellation, () -> true))).containsExactly("a");
    assertThat(mailboxes.receive(ONE)).isEqualTo(Received.NOTHING);
  }

  @Test
  @DisplayName("WI-B8 a receive of ten returns as soon as there is one message, without any delay")
  void asSoonAsThereIsOne() throws Exception {
    Future<Received> waiting = receive(new Receive(BOX, 10, Visibility.DEFAULT, 5, null));
    awaitSleepers(1);

    send("a");

    assertThat(texts(waiting.get())).containsExactly("a");
  }

  @Test
  @DisplayName("WI-11 each sent message wakes one waiter, in the order of arrival")
  void eachWakesOne() throws Exception {
    Future<Received> first = receive(ONE);
    awaitSleepers(1);
    Future<Received> second = receive(ONE);
    awaitSleepers(2);

    send("a");
    assertThat(texts(first.get())).containsExactly("a");
    assertThat(second.isDone()).isFalse();
    send("b");
    assertThat(texts(second.get())).containsExactly("b");
  }

  @Test
  @DisplayName("Two simultaneous messages wake both waiters: a leaving waiter wakes the next one")
  void twoAtOnce() throws Exception {
    Future<Received> first = receive(ONE);
    awaitSleepers(1);
    Future<Received> second = receive(ONE);
    awaitSleepers(2);
    elsewhere.send("a");
    elsewhere.send("b");

    mailboxes.send(Send.of(ANSWERS, MessageBody.text("elsewhere")));
    time.advance(Mailboxes.POLL_INTERVAL);

    assertThat(texts(first.get())).containsExactly("a");
    assertThat(texts(second.get())).containsExactly("b");
  }

  @Test
  @DisplayName("A message of another process is seen at the next poll")
  void fromElsewhere() throws Exception {
    Future<Received> waiting = receive(ONE);
    awaitSleepers(1);
    elsewhere.send("a");

    time.advance(Mailboxes.POLL_INTERVAL);

    assertThat(texts(waiting.get())).containsExactly("a");
  }

  @Test
  @DisplayName("WI-13 a returned message, or a reply, wakes its waiter")
  void givenBack() throws Exception {
    mailboxes.send(new Send(BOX, null, MessageBody.text("a"), ANSWERS, OptionalInt.empty(), null));
    Message.Delivery a = mailboxes.receive(ONE).deliveries().getFirst();
    Future<Received> waiting = receive(ONE);
    awaitSleepers(1);
    mailboxes.nack(new MailboxCommand.Nack(BOX, a.receipt(), Visibility.NONE, null));
    Message.Delivery again = waiting.get().deliveries().getFirst();
    assertThat(again.count()).isEqualTo(2);

    Future<Received> answer = receive(Receive.one(ANSWERS, Visibility.DEFAULT));
    awaitSleepers(1);
    mailboxes.reply(new MailboxCommand.Reply(BOX, again.receipt(), MessageBody.text("done"), true));
    assertThat(texts(answer.get())).containsExactly("done");
  }

  @Test
  @DisplayName("WI-12 a lease that expires wakes a waiter at that moment")
  void runsOut() throws Exception {
    elsewhere.send("a");
    elsewhere.one(30);
    Future<Received> waiting = receive(ONE);
    awaitSleepers(1);
    for (long left = 30_000 / Mailboxes.POLL_INTERVAL.toMillis(); left > 1; left--) {
      time.advance(Mailboxes.POLL_INTERVAL);
      awaitSleepers(1);
    }
    assertThat(waiting.isDone()).isFalse();

    time.advance(Mailboxes.POLL_INTERVAL);

    assertThat(waiting.get().deliveries()).singleElement().extracting(Message.Delivery::count).isEqualTo(2L);
  }

  @Test
  @DisplayName("WI-11 a wait returns nothing at its limit, when it is cancelled, and when the mailboxes are closed")
  void endsWithNothing() throws ExecutionException, InterruptedException {
    Future<Received> over = threads
        .submit(() -> mailboxes.receive(ONE, Duration.ofMillis(20), new Cancellation(), () -> true));
    awaitSleepers(1);
    time.advance(Duration.ofMillis(20));
    assertThat(over.get()).isEqualTo(Received.NOTHING);

    Future<Received> cancelled = receive(ONE);
    awaitSleepers(1);
    cancellation.cancel();
    assertThat(cancelled.get()).isEqualTo(Received.NOTHING);
    send("a");
    assertThat(mailboxes.receive(ONE, HOUR, cancellation, () -> true)).as("it takes no message without a recipient")
        .isEqualTo(Received.NOTHING);

    Future<Received> closed = threads
        .submit(
            () -> mailboxes.receive(Receive.one(ANSWERS, Visibility.DEFAULT), HOUR, new Cancellation(), () -> true));
    awaitSleepers(1);
    mailboxes.close();
    assertThat(closed.get()).isEqualTo(Received.NOTHING);
    assertThat(mailboxes.receive(ONE, HOUR, new Cancellation(), () -> true)).isEqualTo(Received.NOTHING);
  }

  @Test
  @DisplayName("WI-11 a wait of more than an hour, or a negative one, is rejected")
  void waitBounds() {
    assertThatThrownBy(() -> mailboxes.receive(ONE, HOUR.plusSeconds(1), cancellation, () -> true))
        .isInstanceOf(InvalidValue.class)
        .hasMessage("a wait of 3601 s is outside 0 to 3600 seconds (1 hour)");
    assertThatThrownBy(() -> mailboxes.receive(ONE, Duration.ofSeconds(-1), cancellation, () -> true))
        .isInstanceOf(InvalidValue.class);
  }

  @Test
  @DisplayName("WI-17 dead letters and purges are audited with their actor")
  void audited() {
    send("a");
    Message.Delivery a = mailboxes.receive(ONE).deliveries().getFirst();
    mailboxes.reject(new MailboxCommand.Reject(BOX, a.receipt(), "no use"), null);
    mailboxes.reject(new MailboxCommand.Reject(BOX, a.receipt(), "no use"), null);
    send("b");
    mailboxes.nack(new MailboxCommand.Nack(BOX, mailboxes.receive(ONE).deliveries().getFirst().receipt(),
        Visibility.NONE, null));
    assertThat(mailboxes.receive(new Receive(BOX, 1, Visibility.DEFAULT, 1, null)).buried()).hasSize(1);
    send("c");
    assertThat(mailboxes.purge(BOX, ACTOR)).isEqualTo(1);
    assertThat(mailboxes.purge(BOX, ACTOR)).isZero();
    mailboxes.revive(new MailboxCommand.Revive(BOX, Set.of(a.message().id())), ACTOR);
    mailboxes.reject(new MailboxCommand.Reject(BOX, mailboxes.receive(ONE).deliveries().getFirst().receipt(), "no"),
        null);
    assertThat(mailboxes.purgeDead(BOX, ACTOR)).isEqualTo(2);
    mailboxes.revive(new MailboxCommand.Revive(BOX, Set.of()), ACTOR);

    assertThat(audit).hasSize(6);
    assertThat(audit.get(3)).isEqualTo(
        new AuditEvent.MailboxRevived(time.now(), "jobs", 1, List.of(a.message().id().value()), ORIGIN));
    assertThat(audit.get(0)).isInstanceOfSatisfying(AuditEvent.MessageDead.class, dead -> assertThat(dead)
        .isEqualTo(new AuditEvent.MessageDead(dead.timestamp(), "jobs", a.message().id().value(), 1, "rejected",
            "no use", null)));
    assertThat(audit.get(1)).isInstanceOfSatisfying(AuditEvent.MessageDead.class,
        dead -> assertThat(dead.cause()).isEqualTo("too_many_deliveries"));
    assertThat(audit.get(2)).isEqualTo(new AuditEvent.MailboxPurged(time.now(), "jobs", false, 1, ORIGIN));
    assertThat(audit.get(5)).isEqualTo(new AuditEvent.MailboxPurged(time.now(), "jobs", true, 2, ORIGIN));
  }

  private LeaseExtender extender(List<String> told, Extendable lease) {
    return new LeaseExtender(new LeaseExtender.Settings(Duration.ofSeconds(10), Duration.ofSeconds(60), true), time,
        LeaseExtender.inWords(lease.name(), _ -> {}, told::add, () -> {}));
  }

  @Test
  @DisplayName("WI-5 WI-9 a worker that signals progress keeps its message far beyond its first lease")
  void beating() {
    send("a");
    Message.Delivery a = mailboxes.receive(ONE).deliveries().getFirst();
    ProgressSignal heartbeat = new ProgressSignal(time);
    List<String> told = new ArrayList<>();
    Extendable lease = mailboxes.lease(a);
    try (var attachment = extender(told, lease).attach(lease, heartbeat)) {
      for (int i = 0; i < 20; i++) {
        time.advance(Duration.ofSeconds(25));
        heartbeat.beat();
        assertThat(attachment.isTrusted()).isTrue();
      }
      assertThat(elsewhere.texts(1)).isEmpty();
    }
    assertThat(told).isEmpty();
    assertThat(mailboxes.ack(new MailboxCommand.Ack(BOX, a.receipt()))).isInstanceOf(MailboxOutcome.Acked.class);
  }

  @Test
  @DisplayName("WI-5 WI-B2 T12 a stuck worker learns at its next signal that another worker has its message, "
      + "and cannot reply")
  void stuck() {
    mailboxes.send(new Send(BOX, null, MessageBody.text("a"), ANSWERS, OptionalInt.empty(), null));
    Message.Delivery a = mailboxes.receive(ONE).deliveries().getFirst();
    ProgressSignal heartbeat = new ProgressSignal(time);
    List<String> told = new ArrayList<>();
    Extendable lease = mailboxes.lease(a);
    try (var attachment = extender(told, lease).attach(lease, heartbeat)) {
      heartbeat.beat();
      time.advance(Duration.ofSeconds(61));
      assertThat(attachment.isTrusted()).as("it knows that its time is over before it is notified").isFalse();
      Message.Delivery taken = elsewhere.one(30);
      heartbeat.beat();

      assertThat(attachment.isLost()).isTrue();
      assertThat(told).containsExactly("Lease extension failed for message " + a.message().id()
          + ": receipt handle expired, the message was offered to others again");
      assertThat(mailboxes.reply(new MailboxCommand.Reply(BOX, a.receipt(), MessageBody.text("late"), true)))
          .isInstanceOf(MailboxOutcome.OldReceipt.class);
      elsewhere.reply(taken, "good", true);
    }
    assertThat(texts(mailboxes.receive(new Receive(ANSWERS, 10, Visibility.DEFAULT, 5, null)))).containsExactly("good");
  }
}
