package fleet.tower.mailbox.sql;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import fleet.tower.harness.Await;
import fleet.tower.lease.Actor;
import fleet.tower.lease.Door;
import fleet.tower.mailbox.MailboxCommand;
import fleet.tower.mailbox.MailboxName;
import fleet.tower.mailbox.MailboxOutcome;
import fleet.tower.mailbox.MailboxWork;
import fleet.tower.mailbox.Mailboxes;
import fleet.tower.mailbox.Message;
import fleet.tower.mailbox.MessageBody;
import fleet.tower.mailbox.Visibility;
import fleet.tower.platform.sql.Database;
import fleet.tower.platform.sql.Notifications;
import fleet.tower.platform.sql.PostgresServer;
import fleet.tower.platform.time.Cancellation;
import fleet.tower.platform.time.ManualTime;
import fleet.tower.platform.time.Notices;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.platform.time.SystemTime;

@DisplayName("Waiters for messages are woken by other hosts; the polls of these hosts are days apart")
class MailboxNoticesTest {
  private static final MailboxName JOBS = new MailboxName("jobs");
  private static final MailboxName ANSWERS = new MailboxName("answers");

  private final String url = PostgresServer.newDatabase();
  private final Database database = Database.at(url);
  private final Notifications notifications = new Notifications(database, SystemTime.scheduler());
  private final SqlMailboxes store = new SqlMailboxes(url, SystemTime.source());
  /** Has a timer exactly while a waiter sleeps. */
  private final ManualTime timer = new ManualTime();
  private final Mailboxes here = mailboxes(store.notices(notifications), timer);
  private final Mailboxes there = mailboxes(Notices.NONE, SystemTime.scheduler());

  private Mailboxes mailboxes(Notices notices, Scheduler scheduler) {
    return new Mailboxes(store.open(), _ -> true, SystemTime.source(), scheduler, MailboxWork::newId,
        Duration.ofDays(2), notices);
  }

  /** Listens before the first waiter, which would otherwise look once more when the connection is there. */
  @BeforeEach
  void listen() throws InterruptedException {
    CountDownLatch connected = new CountDownLatch(1);
    store.notices(notifications).subscribe(new Notices.Listener() {
      @Override
      public void changed(String subject) {
        // Only the connection matters.
      }

      @Override
      public void missed() {
        connected.countDown();
      }
    });
    assertThat(connected.await(Await.LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
  }

  @AfterEach
  void close() {
    here.close();
    there.close();
    notifications.close();
    database.close();
  }

  private static MailboxCommand.Receive from(MailboxName mailbox, Visibility visibility) {
    return new MailboxCommand.Receive(mailbox, 1, visibility, MailboxCommand.Receive.DEFAULT_DELIVERIES, null);
  }

  /** Waits here; returns when the waiter has looked, and sleeps. */
  private CompletableFuture<MailboxOutcome.Received> waiting(MailboxName mailbox) {
    return waiting(mailbox, Visibility.DEFAULT);
  }

  private CompletableFuture<MailboxOutcome.Received> waiting(MailboxName mailbox, Visibility visibility) {
    CompletableFuture<MailboxOutcome.Received> received = CompletableFuture.supplyAsync(() -> here
        .receive(from(mailbox, visibility), Mailboxes.MAX_WAIT, new Cancellation(), () -> true));
    Await.until("it sleeps", () -> !timer.pendingDelays().isEmpty());
    return received;
  }

  private MailboxOutcome.Received byTheClock(CompletableFuture<MailboxOutcome.Received> received) throws Exception {
    Await.until("its time has come", () -> {
      timer.advance(Duration.ofMillis(50));
      return received.isDone();
    });
    return received.get();
  }

  private void send(String body) {
    assertThat(there.send(new MailboxCommand.Send(JOBS, null, new MessageBody("\"" + body + "\""), ANSWERS,
        OptionalInt.empty(), null))).isInstanceOf(MailboxOutcome.Sent.class);
  }

  private static Message.Delivery only(MailboxOutcome.Received received) {
    assertThat(received.deliveries()).hasSize(1);
    return received.deliveries().getFirst();
  }

  @Test
  @DisplayName("A message that is sent or returned wakes a waiter")
  void woken() throws Exception {
    // Its lease does not end during the test, which would wake the next waiter.
    CompletableFuture<MailboxOutcome.Received> sent = waiting(JOBS, new Visibility(Visibility.MAX_SECONDS));
    send("one");
    Message.Delivery first = only(sent.get());

    CompletableFuture<MailboxOutcome.Received> returned = waiting(JOBS);
    there.nack(new MailboxCommand.Nack(JOBS, first.receipt(), Visibility.NONE, null));
    assertThat(only(returned.get()).count()).isEqualTo(2);
  }

  @Test
  @DisplayName("A lease or a delay that ends wakes a waiter by the clock")
  void due() throws Exception {
    send("one");
    Message.Delivery leased = only(there.receive(from(JOBS, new Visibility(1))));
    Message.Delivery expired = only(byTheClock(waiting(JOBS)));
    assertThat(expired.message().id()).isEqualTo(leased.message().id());

    CompletableFuture<MailboxOutcome.Received> delayed = waiting(JOBS);
    there.nack(new MailboxCommand.Nack(JOBS, expired.receipt(), new Visibility(1), null));
    assertThat(only(byTheClock(delayed)).count()).isEqualTo(3);
  }

  @Test
  @DisplayName("A reply wakes the waiter at the reply address")
  void replied() throws Exception {
    CompletableFuture<MailboxOutcome.Received> answer = waiting(ANSWERS);
    send("question");
    Message.Delivery question = only(there.receive(from(JOBS, Visibility.DEFAULT)));
    there.reply(new MailboxCommand.Reply(JOBS, question.receipt(), new MessageBody("\"yes\""), true));
    assertThat(only(answer.get()).message().body().json()).isEqualTo("\"yes\"");
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  @DisplayName("A revived dead letter wakes a waiter, whether all are revived or it is named")
  void revived(boolean isNamed) throws Exception {
    send("one");
    Message.Delivery delivery = only(there.receive(from(JOBS, Visibility.DEFAULT)));
    there.reject(new MailboxCommand.Reject(JOBS, delivery.receipt(), "no"), null);
    CompletableFuture<MailboxOutcome.Received> waiter = waiting(JOBS);
    there.revive(new MailboxCommand.Revive(JOBS, isNamed ? Set.of(delivery.message().id()) : Set.of()),
        new Actor("ann", Door.CLI));
    assertThat(only(waiter.get()).message().id()).isEqualTo(delivery.message().id());
  }
}
