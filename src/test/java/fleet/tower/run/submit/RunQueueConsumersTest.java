package fleet.tower.run.submit;

import static fleet.tower.lease.Actors.ACTOR;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.harness.Await;
import fleet.tower.lease.RequestId;
import fleet.tower.lock.Halt;
import fleet.tower.mailbox.MailboxCommand;
import fleet.tower.mailbox.MailboxStore;
import fleet.tower.mailbox.MailboxWork;
import fleet.tower.mailbox.Mailboxes;
import fleet.tower.mailbox.MessageBody;
import fleet.tower.mailbox.sql.SqlMailboxes;
import fleet.tower.platform.time.Notices;
import fleet.tower.run.Processes;
import fleet.tower.run.RunStatus;
import fleet.tower.run.execute.LockTerms;

class RunQueueConsumersTest {
  private static final RequestId R1 = new RequestId("r1");
  private static final Processes.Exit OK = new Processes.Exited(0);

  private final TestExecutor works;
  private final Mailboxes mailboxes;
  private final QueuedRuns queued;
  private final RunQueueConsumers hands;

  RunQueueConsumersTest(@TempDir Path directory) {
    works = new TestExecutor(directory.resolve("locks"));
    works.with(IntentBuilder.mutate("deploy").lock("prod").undoable("one").undoable("two"));
    mailboxes = new Mailboxes(new SqlMailboxes("jdbc:sqlite:" + directory.resolve("tower.db"), works.time).open(),
        works.audit, works.time, works.time, MailboxWork::newId,
        Mailboxes.POLL_INTERVAL, Notices.NONE);
    queued = works.runs.queued(new RunQueue(mailboxes));
    hands = new RunQueueConsumers(queued, mailboxes,
        new RunQueueConsumers.Settings(2, Duration.ofMinutes(12), Duration.ofMinutes(2)),
        works.time,
        works.time, works.log::add);
  }

  @AfterEach
  void close() {
    hands.dismiss();
    works.runs.close(Duration.ZERO);
    assertThat(hands.dismiss(Await.LIMIT)).isTrue();
    mailboxes.close();
    works.close();
  }

  private String count() {
    MailboxStore.Count count = mailboxes.count(RunQueue.MAILBOX);
    return count.ready() + " " + count.leased() + " " + count.delayed() + " " + count.dead();
  }

  private void awaitCount(String expected) {
    Await.until(expected, () -> count().equals(expected));
  }

  private RunStatus status(RequestId id) {
    return works.store.find(id).orElseThrow().status();
  }

  @Test
  @DisplayName("WI-18 queued runs are executed, two at the same time, and their entries are removed when they end")
  void works() {
    works.processes.plan("one", OK);
    works.processes.plan("two", OK);
    hands.start();

    for (int i = 1; i <= 5; i++) {
      queued.enqueue(TestExecutor.request("deploy", "r" + i, new LockTerms(false, Duration.ofMinutes(5))));
    }

    awaitCount("0 0 0 0");
    for (int i = 1; i <= 5; i++) {
      assertThat(status(new RequestId("r" + i))).isEqualTo(RunStatus.SUCCEEDED);
    }
  }

  @Test
  @DisplayName("WI-5 an entry is kept while its run is executed, even if that prints nothing for an hour")
  void kept() {
    queued.enqueue(TestExecutor.request("deploy", "r1"));
    hands.start();
    works.processes.awaitStart(1);
    for (int i = 0; i < 9; i++) {
      works.time.advance(Duration.ofMinutes(1));
    }
    assertThat(count()).isEqualTo("0 1 0 0");
    assertThat(hands.stalled()).isEmpty();
    works.processes.awaitStart(1).exit(0);
    works.processes.awaitStart(2).exit(0);
    awaitCount("0 0 0 0");
    assertThat(status(R1)).isEqualTo(RunStatus.SUCCEEDED);
  }

  @Test
  @DisplayName("A run that waits for its lock is available to another executor as soon as this one closes")
  void givenBack() {
    works.hold("prod", "gate");
    queued.enqueue(TestExecutor.request("deploy", "r1", new LockTerms(false, Duration.ofMinutes(5))));
    hands.start();
    works.awaitWaiter("prod");
    assertThat(count()).isEqualTo("0 1 0 0");

    hands.dismiss();
    works.runs.close(Duration.ZERO);

    assertThat(hands.dismiss(Await.LIMIT)).isTrue();
    assertThat(count()).isEqualTo("1 0 0 0");
    assertThat(status(R1)).isEqualTo(RunStatus.WAITING);
  }

  @Test
  @DisplayName("Halted runs stay in the queue however long, without a counted delivery, and are executed when the halt "
      + "is lifted")
  void halted() {
    works.processes.plan("one", OK);
    works.processes.plan("two", OK);
    queued.enqueue(TestExecutor.request("deploy", "r1"));
    works.halt(Halt.Level.ADMIT, new Halt.Scope(List.of("alice"), List.of(), List.of(), false));
    hands.start();
    for (int i = 0; i < 120; i++) {
      awaitCount("0 0 0 0");
      works.time.advance(Duration.ofSeconds(5));
    }
    assertThat(status(R1)).isEqualTo(RunStatus.WAITING);
    assertThat(works.log).isEmpty();

    works.halts.clear();
    Await.until("it has ended", () -> {
      works.time.advance(Duration.ofSeconds(1));
      return status(R1) == RunStatus.SUCCEEDED;
    });
  }

  @Test
  @DisplayName("A run whose entry was lost is added again, and executed")
  void mended() {
    works.processes.plan("one", OK);
    works.processes.plan("two", OK);
    queued.enqueue(TestExecutor.request("deploy", "r1"));
    mailboxes.purge(RunQueue.MAILBOX, ACTOR);
    assertThat(count()).isEqualTo("0 0 0 0");

    hands.start();

    Await.until("it has ended", () -> status(R1) == RunStatus.SUCCEEDED);
    awaitCount("0 0 0 0");
  }

  @Test
  @DisplayName("A message that is not a run id is a dead letter; the entry of an unknown run is removed")
  void strangers() {
    mailboxes.send(MailboxCommand.Send.of(RunQueue.MAILBOX, MessageBody.text("no id at all!")));
    mailboxes.send(MailboxCommand.Send.of(RunQueue.MAILBOX, MessageBody.text("r77")));

    hands.start();

    awaitCount("0 0 0 1");
  }
}
