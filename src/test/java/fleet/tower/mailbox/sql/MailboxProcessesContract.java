package fleet.tower.mailbox.sql;

import static fleet.tower.mailbox.MailboxWork.ANSWERS;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Semaphore;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import fleet.tower.harness.Extent;
import fleet.tower.lock.file.ChildJvm;
import fleet.tower.mailbox.MailboxOutcome.Received;
import fleet.tower.mailbox.MailboxStore;
import fleet.tower.mailbox.MailboxWork;
import fleet.tower.mailbox.Message;
import fleet.tower.mailbox.MessageId;
import fleet.tower.platform.time.SystemTime;

/** The contract when workers are processes that get killed. */
abstract class MailboxProcessesContract {
  private static final int WORKERS = 4;
  private static final int MESSAGES = 240;
  /** Two in a build; the profile "long" has more. */
  private static final int ROUNDS = Extent.of(1, 2, 30);
  private static final int LINES_EACH_ROUND = 260;

  private final Random random = new Random(6);

  /** The database's URL; nothing is in it before. */
  protected abstract String url();

  /** Something that may happen to a database while it is used. */
  protected abstract void disturb(SqlTestMailboxes place);

  /** Waits for the end of what the database still does for processes that were killed. */
  protected void settle(SqlTestMailboxes place) {
    // A transaction in a file ends with its process.
  }

  /** The output of one round's workers, in any order among them. */
  private static final class Round {
    private final Set<String> said = new HashSet<>();
    private final List<String> saidTwice = new ArrayList<>();

    /** Called by threads whose errors no test would see. */
    synchronized void add(String line) {
      if (!said.add(line) && !line.equals("idle") && !line.equals("unknown")) {
        saidTwice.add(line);
      }
    }

    synchronized boolean has(String what, String id, long count) {
      return said.contains(what + " " + id + " " + count);
    }
  }

  @Test
  @DisplayName("WI-16 workers killed repeatedly: no message lost, leased twice at once, or redelivered once "
      + "done; one reply each")
  void killedWorkers() throws IOException, InterruptedException {
    SqlTestMailboxes place = new SqlTestMailboxes(url(), SystemTime.source());
    MailboxStore store = place.open();
    MailboxWork work = new MailboxWork(store);
    List<MessageId> sent = new ArrayList<>();
    for (int i = 0; i < MESSAGES; i++) {
      sent.add(work.send("m" + i, ANSWERS));
    }
    List<Round> rounds = new ArrayList<>();
    for (int round = 0; round < ROUNDS; round++) {
      rounds.add(round(round, place));
      place.pass(Duration.ofSeconds(MailboxWorkerMain.LEASE_SECONDS));
    }
    Set<String> left = new HashSet<>();
    for (Received rest = work.receive(10, 1000, 1000); !rest.deliveries().isEmpty(); rest = work.receive(10, 1000,
        1000)) {
      for (Message.Delivery delivery : rest.deliveries()) {
        assertThat(left.add(delivery.message().id().value())).isTrue();
      }
    }
    Set<String> answered = new HashSet<>();
    for (Received rest = work.receive(ANSWERS, 10, 1000, 1000); !rest.deliveries().isEmpty(); rest = work
        .receive(ANSWERS, 10, 1000, 1000)) {
      for (Message.Delivery delivery : rest.deliveries()) {
        assertThat(answered.add(delivery.message().body().text().orElseThrow())).as("one answer each").isTrue();
      }
    }
    sent.forEach(id -> judge(id.value(), rounds, left.contains(id.value()), answered.contains(id.value())));
    assertThat(rounds).allSatisfy(round -> assertThat(round.saidTwice).isEmpty());
    assertThat(rounds).allSatisfy(round -> assertThat(round.said).noneMatch(line -> line.startsWith("refused")));
    place.close();
  }

  private static void judge(String id, List<Round> rounds, boolean isLeft, boolean isAnswered) {
    boolean wasEnding = false;
    boolean hasEnded = false;
    for (Round round : rounds) {
      for (long count = 1; count < MESSAGES; count++) {
        if (round.has("got", id, count)) {
          assertThat(hasEnded).as("%s came back once it was done", id).isFalse();
        }
        if (round.has("got", id, count) && round.has("got", id, count + 1)) {
          assertThat(round.has("returning", id, count)).as("%s was delivered to two workers at once", id).isTrue();
        }
        wasEnding |= round.has("ending", id, count);
        hasEnded |= round.has("ended", id, count);
      }
    }
    assertThat(isLeft || wasEnding).as("%s was lost", id).isTrue();
    assertThat(isLeft && (hasEnded || isAnswered)).as("%s is there and done", id).isFalse();
  }

  /** Workers start, work for a while, and are all killed in the middle of it. */
  private Round round(int number, SqlTestMailboxes place) throws IOException, InterruptedException {
    Round round = new Round();
    Semaphore lines = new Semaphore(0);
    List<Process> workers = new ArrayList<>();
    List<Thread> listeners = new ArrayList<>();
    for (int i = 0; i < WORKERS; i++) {
      Process worker = worker("w" + number + "-" + i);
      workers.add(worker);
      listeners.add(Thread.startVirtualThread(() -> listen(worker, round, lines)));
    }
    lines.acquire(LINES_EACH_ROUND / 2);
    disturb(place);
    lines.acquire(LINES_EACH_ROUND / 2);
    for (Process worker : workers) {
      worker.toHandle().destroyForcibly();
    }
    for (Thread listener : listeners) {
      listener.join();
    }
    for (Process worker : workers) {
      worker.onExit().join();
    }
    settle(place);
    return round;
  }

  /** Reads to the end of the output; an incomplete last line of a killed worker does not count. */
  private static void listen(Process worker, Round round, Semaphore lines) {
    try (var said = worker.inputReader(StandardCharsets.UTF_8)) {
      for (String line = said.readLine(); line != null; line = said.readLine()) {
        round.add(line);
        lines.release();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Process worker(String name) throws IOException {
    return new ProcessBuilder(
        ChildJvm.commandOnDatabase(MailboxWorkerMain.class, url(), name, Long.toString(random.nextLong())))
        .redirectError(ProcessBuilder.Redirect.DISCARD).start();
  }
}
