package fleet.tower.mailbox.sql;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import fleet.tower.harness.Await;
import fleet.tower.lease.Actor;
import fleet.tower.lease.Door;
import fleet.tower.mailbox.Body;
import fleet.tower.mailbox.MailboxCommand;
import fleet.tower.mailbox.MailboxName;
import fleet.tower.mailbox.MailboxOutcome;
import fleet.tower.mailbox.MailboxWork;
import fleet.tower.mailbox.Mailboxes;
import fleet.tower.mailbox.Message;
import fleet.tower.mailbox.Visibility;
import fleet.tower.platform.sql.Database;
import fleet.tower.platform.sql.DirectTables;
import fleet.tower.platform.sql.Notifications;
import fleet.tower.platform.sql.PostgresServer;
import fleet.tower.platform.time.system.SystemTime;
import fleet.tower.platform.wait.Cancellation;
import fleet.tower.platform.wait.Notices;

@DisplayName("Waiters for messages are woken by other hosts; the polls of these hosts are days apart")
class MailboxNoticesTest {
  private static final MailboxName JOBS = new MailboxName("jobs");
  private static final MailboxName ANSWERS = new MailboxName("answers");

  private final String url = PostgresServer.newDatabase();
  private final Database database = Database.at(url);
  private final Notifications notifications = new Notifications(database, SystemTime.scheduler());
  private final SqlMailboxes store = new SqlMailboxes(url, SystemTime.source());
  private final Mailboxes here = mailboxes(store.notices(notifications));
  private final Mailboxes there = mailboxes(Notices.NONE);

  private Mailboxes mailboxes(Notices notices) {
    return new Mailboxes(store.open(), _ -> true, SystemTime.source(), SystemTime.scheduler(), MailboxWork::newId,
        Duration.ofDays(2), notices);
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

  /** Waits here; returns when this host listens. */
  private CompletableFuture<MailboxOutcome.Received> waiting(MailboxName mailbox) {
    CompletableFuture<MailboxOutcome.Received> received = CompletableFuture.supplyAsync(() -> here
        .receive(from(mailbox, Visibility.DEFAULT), Mailboxes.MAX_WAIT, new Cancellation(), () -> true));
    // The last statement of the connection is LISTEN at first, and later a probe.
    Await.until("it listens", () -> new DirectTables(url).look("SELECT COUNT(*) FROM pg_stat_activity WHERE datname ="
        + " current_database() AND (query LIKE 'LISTEN%' OR query = 'SELECT 1')").equals(List.of("1")));
    return received;
  }

  private void send(String body) {
    assertThat(there.send(new MailboxCommand.Send(JOBS, null, new Body("\"" + body + "\""), ANSWERS,
        OptionalInt.empty(), null))).isInstanceOf(MailboxOutcome.Sent.class);
  }

  private static Message.Delivery only(MailboxOutcome.Received received) {
    assertThat(received.deliveries()).hasSize(1);
    return received.deliveries().getFirst();
  }

  @Test
  @DisplayName("A message that is sent or returned wakes a waiter")
  void woken() throws Exception {
    CompletableFuture<MailboxOutcome.Received> sent = waiting(JOBS);
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
    Message.Delivery expired = only(waiting(JOBS).get());
    assertThat(expired.message().id()).isEqualTo(leased.message().id());

    CompletableFuture<MailboxOutcome.Received> delayed = waiting(JOBS);
    there.nack(new MailboxCommand.Nack(JOBS, expired.receipt(), new Visibility(1), null));
    assertThat(only(delayed.get()).count()).isEqualTo(3);
  }

  @Test
  @DisplayName("A reply wakes the waiter at the reply address")
  void replied() throws Exception {
    CompletableFuture<MailboxOutcome.Received> answer = waiting(ANSWERS);
    send("question");
    Message.Delivery question = only(there.receive(from(JOBS, Visibility.DEFAULT)));
    there.reply(new MailboxCommand.Reply(JOBS, question.receipt(), new Body("\"yes\""), true));
    assertThat(only(answer.get()).message().body().json()).isEqualTo("\"yes\"");
  }

  @Test
  @DisplayName("A revived dead letter wakes a waiter")
  void revived() throws Exception {
    send("one");
    Message.Delivery delivery = only(there.receive(from(JOBS, Visibility.DEFAULT)));
    there.reject(new MailboxCommand.Reject(JOBS, delivery.receipt(), "no"), null);
    CompletableFuture<MailboxOutcome.Received> waiter = waiting(JOBS);
    there.revive(new MailboxCommand.Revive(JOBS, Set.of()), new Actor("ann", Door.CLI));
    assertThat(only(waiter.get()).message().id()).isEqualTo(delivery.message().id());
  }
}
