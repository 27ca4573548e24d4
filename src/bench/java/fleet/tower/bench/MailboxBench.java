package fleet.tower.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;

import fleet.tower.lease.RequestId;
import fleet.tower.mailbox.MailboxCommand;
import fleet.tower.mailbox.MailboxName;
import fleet.tower.mailbox.MailboxOutcome;
import fleet.tower.mailbox.MailboxStore;
import fleet.tower.mailbox.Mailboxes;
import fleet.tower.mailbox.Message;
import fleet.tower.mailbox.MessageBody;
import fleet.tower.mailbox.MessageId;
import fleet.tower.mailbox.Visibility;
import fleet.tower.mailbox.sql.SqlMailboxes;
import fleet.tower.performance.Measure;
import fleet.tower.performance.Median;
import fleet.tower.performance.Report;
import fleet.tower.platform.sql.PostgresServer;
import fleet.tower.platform.time.Cancellation;
import fleet.tower.platform.time.Notices;
import fleet.tower.platform.time.SystemTime;

/**
 * A benchmark of send, receive and acknowledge by eight clients against bare statements, and of a receive from a
 * million messages against a thousand.
 */
final class MailboxBench {
  private static final int CLIENTS = 8;
  private static final int MESSAGES = 400;
  private static final int ROUNDS = 9;
  private static final int RECEIVES = 500;
  /**
   * Real workers run long, and a JVM is slow at code that has run only a hundred times: that was a third of the ratio.
   */
  private static final int WARM_UP = 8;
  private static final int HANDOVERS = 60;
  private static final MailboxName BOX = new MailboxName("jobs");
  private static final MessageBody BODY = MessageBody.text("x".repeat(200));

  private final Path base;
  private final AtomicLong ids = new AtomicLong();

  MailboxBench(Path base) {
    this.base = base;
  }

  /** Part of the handling of a message. */
  private interface Work {
    void run() throws SQLException;
  }

  void run(Report report) throws Exception {
    sqlite().report(report, Measure.MESSAGE_SQLITE);
    postgres().report(report, Measure.MESSAGE_POSTGRES);
    report.add(Measure.ARRIVAL_SQLITE, handover(sqlite("handover")));
    report.add(Measure.ARRIVAL_POSTGRES, handover(PostgresServer.newDatabase()));
    million(sqlite("many"), sqlite("few")).report(report, Measure.RECEIVE_MANY_SQLITE);
    million(PostgresServer.newDatabase(), PostgresServer.newDatabase()).report(report, Measure.RECEIVE_MANY_POSTGRES);
  }

  private String sqlite(String name) throws IOException {
    return "jdbc:sqlite:" + Files.createDirectories(base.resolve("mailbox-" + name)).resolve("tower.db");
  }

  /** One shared connection is the fastest bare variant: several would poll for one another. */
  private Comparison sqlite() throws Exception {
    try (MailboxStore store = open(sqlite("ours"));
        Connection connection = DriverManager
            .getConnection(sqlite("bare") + "?journal_mode=WAL&synchronous=FULL&transaction_mode=IMMEDIATE")) {
      BareMailbox.makeTable(connection, true);
      BareMailbox bare = new BareMailbox(connection, true);
      ReentrantLock turn = new ReentrantLock(true);
      return compare(_ -> pass(store), _ -> passInTurn(bare, turn));
    }
  }

  private Comparison postgres() throws Exception {
    String url = PostgresServer.newDatabase();
    List<Connection> connections = new ArrayList<>();
    try (MailboxStore store = open(PostgresServer.newDatabase())) {
      List<Work> bare = new ArrayList<>();
      for (int i = 0; i < CLIENTS; i++) {
        Connection connection = DriverManager.getConnection(url);
        connections.add(connection);
        if (i == 0) {
          BareMailbox.makeTable(connection, false);
        }
        BareMailbox mailbox = new BareMailbox(connection, false);
        ReentrantLock own = new ReentrantLock();
        bare.add(() -> passInTurn(mailbox, own));
      }
      return compare(_ -> pass(store), client -> bare.get(client).run());
    } finally {
      for (Connection connection : connections) {
        connection.close();
      }
    }
  }

  private static Comparison compare(Clients.Pass ours, Clients.Pass bare) throws Exception {
    Comparison.Work all = Clients.shared(CLIENTS, ours);
    Comparison.Work allBare = Clients.shared(CLIENTS, bare);
    for (int round = 0; round < WARM_UP; round++) {
      all.run(MESSAGES);
      allBare.run(MESSAGES);
    }
    return Comparison.of(ROUNDS, MESSAGES, all, allBare);
  }

  private void pass(MailboxStore store) {
    MessageId id = new MessageId("m" + ids.incrementAndGet());
    LockBench.expect(store.send(MailboxCommand.Send.of(BOX, BODY), id) instanceof MailboxOutcome.Sent);
    Message.Delivery delivery = receive(store);
    LockBench
        .expect(store.ack(new MailboxCommand.Ack(BOX, delivery.receipt())) instanceof MailboxOutcome.Acked);
  }

  private Message.Delivery receive(MailboxStore store) {
    List<Message.Delivery> received = List.of();
    while (received.isEmpty()) {
      received = store.receive(MailboxCommand.Receive.one(BOX, Visibility.DEFAULT),
          new RequestId("r" + ids.incrementAndGet()), 0).deliveries();
    }
    return received.getFirst();
  }

  private void passInTurn(BareMailbox bare, ReentrantLock turn) throws SQLException {
    String id = "m" + ids.incrementAndGet();
    inTurn(turn, () -> bare.send(id, BODY.json()));
    String receipt = "r" + ids.incrementAndGet();
    List<String> received = new ArrayList<>();
    while (received.isEmpty()) {
      inTurn(turn, () -> bare.receive(receipt).ifPresent(received::add));
    }
    inTurn(turn, () -> bare.ack(received.getFirst(), receipt));
  }

  private static void inTurn(ReentrantLock turn, Work work) throws SQLException {
    turn.lock();
    try {
      work.run();
    } finally {
      turn.unlock();
    }
  }

  /** From a sender to a waiter that shares only the database with it, as in another process. */
  private double handover(String url) throws Exception {
    List<Double> nanos = new ArrayList<>();
    try (MailboxStore sender = open(url);
        Mailboxes receiver = new Mailboxes(open(url), _ -> true, SystemTime.source(), SystemTime.scheduler(),
            () -> new RequestId("r" + ids.incrementAndGet()), Mailboxes.POLL_INTERVAL, Notices.NONE);
        ExecutorService pool = Executors.newSingleThreadExecutor()) {
      for (int i = 0; i < HANDOVERS; i++) {
        Future<Long> received = pool.submit(() -> {
          LockBench.expect(!receiver.receive(MailboxCommand.Receive.one(BOX, Visibility.DEFAULT),
              Duration.ofMinutes(1), new Cancellation(), () -> true).deliveries().isEmpty());
          return System.nanoTime();
        });
        SystemTime.scheduler().pause(Duration.ofMillis(100 + i * 7 % 50));
        long begun = System.nanoTime();
        LockBench.expect(sender.send(MailboxCommand.Send.of(BOX, BODY),
            new MessageId("h" + ids.incrementAndGet())) instanceof MailboxOutcome.Sent);
        nanos.add((double) (received.get() - begun));
      }
    }
    return Median.of(nanos);
  }

  private Comparison million(String many, String few) throws Exception {
    fill(many, 1_000_000);
    fill(few, 1000);
    Comparison comparison = new Comparison();
    try (MailboxStore large = open(many); MailboxStore small = open(few)) {
      for (int i = 0; i < RECEIVES; i++) {
        comparison.add(Comparison.nanos(1, _ -> receive(large)), Comparison.nanos(1, _ -> receive(small)));
      }
    }
    return comparison;
  }

  private static MailboxStore open(String url) {
    return new SqlMailboxes(url, SystemTime.source()).open();
  }

  /** Inserts so many messages by one statement that bypasses the store. */
  private void fill(String url, int messages) throws SQLException {
    try (MailboxStore store = open(url)) {
      pass(store);
    }
    try (Connection connection = DriverManager.getConnection(url); Statement statement = connection.createStatement()) {
      statement.execute("INSERT INTO mailbox_messages (id, mailbox, state, body, enqueued_at, visible_at) "
          + "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < " + messages
          + ") SELECT 'msg_' || i, 'jobs', 'ready', '\"work\"', 0, 0 FROM n");
      statement.execute("ANALYZE");
    }
  }
}
