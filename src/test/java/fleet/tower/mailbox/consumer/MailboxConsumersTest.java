package fleet.tower.mailbox.consumer;

import static fleet.tower.mailbox.MailboxWork.ANSWERS;
import static fleet.tower.mailbox.MailboxWork.BOX;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.sql.DriverManager;
import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import fleet.tower.lease.keepalive.LeaseExtender;
import fleet.tower.mailbox.MailboxCommand;
import fleet.tower.mailbox.MailboxWork;
import fleet.tower.mailbox.Mailboxes;
import fleet.tower.mailbox.MessageBody;
import fleet.tower.mailbox.Visibility;
import fleet.tower.mailbox.sql.SqlMailboxes;
import fleet.tower.platform.InvalidValue;
import fleet.tower.platform.time.ManualTime;
import fleet.tower.platform.time.Notices;

class MailboxConsumersTest {
  private static final LeaseExtender.Settings EXTENSION = new LeaseExtender.Settings(Duration.ofSeconds(10),
      Duration.ofSeconds(40), true);
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final Visibility LENT = new Visibility(100);

  private final Path file;
  private final ManualTime time = new ManualTime();
  private final SqlMailboxes database;
  private final Mailboxes mailboxes;
  private final MailboxWork others;
  private final BlockingQueue<String> log = new LinkedBlockingQueue<>();
  private final BlockingQueue<MessageHandler.Job> begun = new LinkedBlockingQueue<>();
  private final CountDownLatch end = new CountDownLatch(1);
  private @Nullable MailboxConsumers consumers;

  MailboxConsumersTest(@TempDir Path home) {
    file = home.resolve("tower.db");
    database = new SqlMailboxes("jdbc:sqlite:" + file, time);
    mailboxes = new Mailboxes(database.open(), _ -> true, time, time, MailboxWork::newId,
        Mailboxes.POLL_INTERVAL, Notices.NONE);
    others = new MailboxWork(database.open());
  }

  @AfterEach
  void close() {
    end.countDown();
    if (consumers != null) {
      consumers.stop();
      assertThat(consumers.stop(PATIENCE)).isTrue();
    }
    mailboxes.close();
    others.store().close();
  }

  private MailboxConsumers consumers(int workers, int batch, fleet.tower.mailbox.consumer.MessageHandler handler) {
    ConsumerSettings terms = new ConsumerSettings(workers, new MailboxCommand.Receive(BOX, batch, LENT, 3, null), null,
        Duration.ofMinutes(1),
        Duration.ofMinutes(2), EXTENSION);
    MailboxConsumers made = new MailboxConsumers(mailboxes, terms, handler, time, time, log::add);
    consumers = made;
    return made;
  }

  private void send(String text) {
    mailboxes.send(MailboxCommand.Send.of(BOX, MessageBody.text(text)));
  }

  /** Signals that it has started, and ends when the test allows it. */
  private MessageHandler.Result untilLet(MessageHandler.Job job) {
    begun.add(job);
    try {
      end.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
    return new MessageHandler.Result.Done();
  }

  private void awaitCount(String count) {
    while (!others.count().equals(count)) {
      Thread.onSpinWait();
    }
  }

  @ParameterizedTest
  @CsvSource({"done, 0 0 0 0, 0 0 0 0", "answer, 0 0 0 0, 1 0 0 0", "later, 0 0 1 0, 0 0 0 0",
      "never, 0 0 0 1, 0 0 0 0", "throw, 0 0 1 0, 0 0 0 0"})
  @DisplayName("WI-14 WI-17 the handler's result settles the message: done, answered, later, never, failed")
  void endings(String text, String count, String answers) {
    consumers(1, 1, job -> switch (job.delivery().message().body().text().orElseThrow()) {
      case "done" -> new MessageHandler.Result.Done();
      case "answer" -> new MessageHandler.Result.Answered(MessageBody.text("42"));
      case "later" -> new MessageHandler.Result.Later(new Visibility(7), "not now");
      case "never" -> new MessageHandler.Result.Never("no such thing");
      default -> throw new IllegalStateException("broken");
    }).start();

    mailboxes.send(new MailboxCommand.Send(BOX, null, MessageBody.text(text), ANSWERS, OptionalInt.empty(), null));

    awaitCount(count);
    assertThat(others.count(ANSWERS)).isEqualTo(answers);
    if (text.equals("throw")) {
      assertThat(log).singleElement().asString().contains("broken");
    }
  }

  @Test
  @DisplayName("WI-7 an extension is logged at debug level only")
  void extensionsAreLogged() {
    Logger logger = Logger.getLogger(ConsumerLoop.class.getName());
    BlockingQueue<String> debug = new LinkedBlockingQueue<>();
    Handler collector = new Handler() {
      @Override
      public void publish(LogRecord entry) {
        debug.add(entry.getLevel() + " " + entry.getMessage());
      }

      @Override
      public void flush() {}

      @Override
      public void close() {}
    };
    logger.setLevel(Level.FINE);
    logger.addHandler(collector);
    try {
      consumers(1, 1, job -> {
        job.heartbeat().beat();
        return new MessageHandler.Result.Done();
      }).start();
      send("work");
      awaitCount("0 0 0 0");

      assertThat(debug).singleElement().asString()
          .matches("FINE Extended visibility for message msg_\\S+ by 40 seconds");
      assertThat(log).isEmpty();
    } finally {
      logger.removeHandler(collector);
      logger.setLevel(null);
    }
  }

  @Test
  @DisplayName("A reply without a reply address is dropped, and the message is done")
  void unaddressed() {
    consumers(1, 1, _ -> new MessageHandler.Result.Answered(MessageBody.text("42"))).start();

    send("question");

    awaitCount("0 0 0 0");
    assertThat(log).isEmpty();
  }

  @Test
  @DisplayName("WI-17 WI-B6 a message that fails is retried after 60 s, then 120 s, and is then a dead letter")
  void failing() {
    MailboxConsumers failing = consumers(1, 1, job -> {
      begun.add(job);
      throw new IllegalStateException("broken");
    });
    send("a");
    failing.start();
    awaitCount("0 0 1 0");
    time.advance(Duration.ofSeconds(59));
    assertThat(others.count()).isEqualTo("0 0 1 0");
    time.advance(Duration.ofSeconds(1));
    awaitTries(2);
    awaitCount("0 0 1 0");
    time.advance(Duration.ofMinutes(2));
    awaitTries(3);
    awaitCount("0 0 1 0");
    time.advance(Duration.ofMinutes(3));

    while (!others.count().equals("0 0 0 1")) {
      passWhileItSleeps();
    }
    assertThat(begun.stream().map(job -> job.delivery().count())).containsExactly(1L, 2L, 3L);
  }

  /** A waiter polls by the clock; time must not advance while it is awake, or its leases expire. */
  private void passWhileItSleeps() {
    time.pendingDelays().stream().findFirst().ifPresentOrElse(time::advance, Thread::onSpinWait);
  }

  private void awaitTries(int tries) {
    while (begun.size() < tries) {
      passWhileItSleeps();
    }
  }

  @Test
  @DisplayName("WI-B9 consumers that are stopped before their start do not start")
  void dismissedBefore() {
    MailboxConsumers early = consumers(3, 1, this::untilLet);
    send("a");

    assertThat(early.stop(PATIENCE)).isTrue();
    early.start();

    assertThat(early.stop(PATIENCE)).isTrue();
    assertThat(begun).isEmpty();
    assertThat(others.count()).isEqualTo("1 0 0 0");
    assertThatThrownBy(early::start).isInstanceOf(IllegalStateException.class);
  }

  @Test
  @DisplayName("WI-18 WI-B10 all are signalled at once: waiting ones end, busy ones finish their message, and "
      + "then all have ended")
  void stop() throws Exception {
    MailboxConsumers busy = consumers(3, 1, this::untilLet);
    send("a");
    busy.start();
    MessageHandler.Job job = begun.take();

    Thread patience = Thread.ofVirtual().start(() -> assertThat(busy.stop(PATIENCE)).isFalse());
    while (!job.stop().isCancelled() || time.pendingDelays().stream().noneMatch(PATIENCE::equals)
        || time.pendingDelays().size() > 1) {
      Thread.onSpinWait();
    }
    time.advance(PATIENCE);
    patience.join();
    assertThat(others.count()).isEqualTo("0 1 0 0");
    send("too late");
    end.countDown();

    assertThat(busy.stop(PATIENCE)).isTrue();
    assertThat(others.count()).isEqualTo("1 0 0 0");
    assertThat(begun).isEmpty();
  }

  @Test
  @DisplayName("WI-B11 of a batch, the started message is finished, and the rest is returned at once")
  void givenBack() throws Exception {
    for (String text : List.of("a", "b", "c", "d")) {
      send(text);
    }
    MailboxConsumers busy = consumers(1, 4, this::untilLet);
    busy.start();
    begun.take();
    assertThat(others.count()).isEqualTo("0 4 0 0");

    busy.stop();
    end.countDown();

    assertThat(busy.stop(PATIENCE)).isTrue();
    assertThat(others.count()).isEqualTo("3 0 0 0");
    assertThat(others.texts(10)).containsExactly("b", "c", "d");
  }

  @Test
  @DisplayName("WI-5 WI-B1 progress signals keep the lease; without them another worker gets the message, and "
      + "the next signal reveals it")
  void lease() throws Exception {
    send("a");
    consumers(1, 1, this::untilLet).start();
    MessageHandler.Job job = begun.take();
    for (int i = 0; i < 20; i++) {
      job.heartbeat().beat();
      time.advance(Duration.ofSeconds(20));
    }
    assertThat(others.receive(1, 50, 9).deliveries()).isEmpty();
    assertThat(job.lost().isCancelled()).isFalse();

    time.advance(Duration.ofSeconds(100));
    assertThat(others.receive(1, 500, 9).deliveries()).hasSize(1);
    job.heartbeat().beat();

    assertThat(job.lost().isCancelled()).isTrue();
    end.countDown();
    assertThat(log.take()).contains("receipt handle expired");
    assertThat(others.count()).as("it still belongs to the other").isEqualTo("0 1 0 0");
  }

  @Test
  @DisplayName("Of a batch, a message whose lease expired before its turn is not handled")
  void lapsed() throws Exception {
    send("a");
    send("b");
    MailboxConsumers slow = consumers(1, 2, this::untilLet);
    slow.start();
    MessageHandler.Job first = begun.take();
    for (int i = 0; i < 10; i++) {
      first.heartbeat().beat();
      time.advance(Duration.ofSeconds(15));
    }
    assertThat(others.texts(1)).containsExactly("b");
    end.countDown();

    awaitCount("0 1 0 0");
    slow.stop();
    assertThat(slow.stop(PATIENCE)).isTrue();
    assertThat(begun).isEmpty();
  }

  @Test
  @DisplayName("WI-20 WI-B12 a worker without progress for too long is stalled; one that signals, waits or has "
      + "ended is not")
  void stalled() throws Exception {
    send("a");
    MailboxConsumers stuck = consumers(1, 1, this::untilLet);
    assertThat(stuck.stalled()).isEmpty();
    stuck.start();
    MessageHandler.Job job = begun.take();
    time.advance(Duration.ofMinutes(2));
    assertThat(stuck.stalled()).isEmpty();

    time.advance(Duration.ofSeconds(1));

    assertThat(stuck.stalled()).singleElement().hasToString(
        "worker 1 has shown no progress for 121 s, working on message " + job.delivery().message().id());
    job.heartbeat().beat();
    assertThat(stuck.stalled()).isEmpty();
    stuck.stop();
    end.countDown();
    assertThat(stuck.stop(PATIENCE)).isTrue();
    time.advance(Duration.ofHours(1));
    assertThat(stuck.stalled()).isEmpty();
  }

  @Test
  @DisplayName("A database that fails for a while ends no consumer: the failure is logged, and retried")
  void broken() throws Exception {
    send("a");
    change("ALTER TABLE mailbox_messages RENAME TO hidden");
    consumers(1, 1, this::untilLet).start();
    assertThat(log.take()).startsWith("cannot receive messages: ");

    change("ALTER TABLE hidden RENAME TO mailbox_messages");

    awaitTries(1);
    assertThat(begun.take().delivery().message().body().text()).contains("a");
  }

  private void change(String sql) throws Exception {
    try (var connection = DriverManager.getConnection("jdbc:sqlite:" + file);
        var statement = connection.createStatement()) {
      statement.execute("PRAGMA busy_timeout = 5000");
      statement.execute(sql);
    }
  }

  @Test
  @DisplayName("WI-19 settings by which a healthy worker would seem stalled or lose its message are rejected "
      + "with the reason")
  void terms() {
    MailboxCommand.Receive receive = MailboxCommand.Receive.one(BOX, Visibility.DEFAULT);
    Duration minute = Duration.ofMinutes(1);
    assertThatThrownBy(() -> new ConsumerSettings(1, receive, null, minute, minute, EXTENSION))
        .isInstanceOf(InvalidValue.class)
        .hasMessageContaining("would count as stalled after 60 s");
    assertThatThrownBy(() -> new ConsumerSettings(0, receive, null, Duration.ZERO, minute, EXTENSION))
        .isInstanceOf(InvalidValue.class)
        .hasMessageContaining("0 workers");
    assertThatThrownBy(
        () -> new ConsumerSettings(1, MailboxCommand.Receive.one(BOX, new Visibility(10)), null, Duration.ZERO, minute,
            EXTENSION))
        .isInstanceOf(InvalidValue.class).hasMessageContaining("would expire before its first extension");
  }
}
