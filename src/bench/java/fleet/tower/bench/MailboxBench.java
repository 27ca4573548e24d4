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
import java.util.Locale;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;

import fleet.tower.lease.RequestId;
import fleet.tower.mailbox.Body;
import fleet.tower.mailbox.MailboxCommand;
import fleet.tower.mailbox.MailboxName;
import fleet.tower.mailbox.MailboxOutcome;
import fleet.tower.mailbox.MailboxStore;
import fleet.tower.mailbox.Mailboxes;
import fleet.tower.mailbox.Message;
import fleet.tower.mailbox.MessageId;
import fleet.tower.mailbox.Visibility;
import fleet.tower.mailbox.sql.SqlMailboxes;
import fleet.tower.platform.sql.PostgresServer;
import fleet.tower.platform.time.system.SystemTime;
import fleet.tower.platform.wait.Cancellation;
import fleet.tower.platform.wait.Notices;

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
  private static final Body BODY = Body.text("x".repeat(200));

  private final Path base;
  private final AtomicLong ids = new AtomicLong();

  MailboxBench(Path base) {
    this.base = base;
  }

  /** Handles one message, from its sending to its end. */
  private interface Client {
    void pass() throws SQLException;
  }

  void run() throws Exception {
    sqlite();
    postgres();
    handover("SQLite", sqlite("handover"));
    handover("PostgreSQL", PostgresServer.newDatabase());
    million("SQLite", sqlite("few"), sqlite("many"));
    million("PostgreSQL", PostgresServer.newDatabase(), PostgresServer.newDatabase());
  }

  private String sqlite(String name) throws IOException {
    return "jdbc:sqlite:" + Files.createDirectories(base.resolve("mailbox-" + name)).resolve("tower.db");
  }

  /** One shared connection is the fastest bare variant: several would poll for one another. */
  private void sqlite() throws Exception {
    try (MailboxStore store = open(sqlite("ours"));
        Connection connection = DriverManager
            .getConnection(sqlite("bare") + "?journal_mode=WAL&synchronous=FULL&transaction_mode=IMMEDIATE")) {
      BareMailbox.makeTable(connection, true);
      BareMailbox bare = new BareMailbox(connection, true);
      ReentrantLock turn = new ReentrantLock(true);
      compare("SQLite", clients(() -> pass(store)), clients(() -> passInTurn(bare, turn)));
    }
  }

  private void postgres() throws Exception {
    String url = PostgresServer.newDatabase();
    List<Connection> connections = new ArrayList<>();
    try (MailboxStore store = open(PostgresServer.newDatabase())) {
      List<Client> bare = new ArrayList<>();
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
      compare("PostgreSQL", clients(() -> pass(store)), bare);
    } finally {
      for (Connection connection : connections) {
        connection.close();
      }
    }
  }

  private static List<Client> clients(Client one) {
    List<Client> all = new ArrayList<>();
    for (int i = 0; i < CLIENTS; i++) {
      all.add(one);
    }
    return all;
  }

  private void compare(String kind, List<Client> ours, List<Client> bare) throws Exception {
    for (int round = 0; round < WARM_UP; round++) {
      all(ours, MESSAGES);
      all(bare, MESSAGES);
    }
    new Comparison("send, receive, ack, 8 clients, " + kind, "a message", "same SQL, bare", 1.5).measure(ROUNDS,
        MESSAGES, times -> all(ours, times), times -> all(bare, times));
  }

  private static void all(List<Client> clients, int times) throws Exception {
    try (ExecutorService pool = Executors.newFixedThreadPool(clients.size())) {
      List<Future<?>> shares = new ArrayList<>();
      for (Client client : clients) {
        shares.add(pool.submit(() -> {
          for (int i = 0; i < times / clients.size(); i++) {
            client.pass();
          }
          return null;
        }));
      }
      for (Future<?> one : shares) {
        one.get();
      }
    }
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

  private static void inTurn(ReentrantLock turn, Client work) throws SQLException {
    turn.lock();
    try {
      work.pass();
    } finally {
      turn.unlock();
    }
  }

  /** From a sender to a waiter that shares only the database with it, as in another process. */
  private void handover(String kind, String url) throws Exception {
    List<Double> millis = new ArrayList<>();
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
        millis.add((received.get() - begun) / 1e6);
      }
    }
    double median = Comparison.median(millis);
    System.out.printf(Locale.ROOT, "%-36s %9.1f ms  limit %4.1f  %s%n", "sent elsewhere → received p50, " + kind,
        median,
        50.0, median <= 50 ? "ok" : "OVER");
  }

  private void million(String kind, String few, String many) throws SQLException {
    fill(few, 1000);
    fill(many, 1_000_000);
    List<Double> ofFew = new ArrayList<>();
    List<Double> ofMany = new ArrayList<>();
    try (MailboxStore small = open(few); MailboxStore large = open(many)) {
      for (int i = 0; i < RECEIVES; i++) {
        ofFew.add(micros(small));
        ofMany.add(micros(large));
      }
    }
    double ratio = Comparison.median(ofMany) / Comparison.median(ofFew);
    System.out.printf(Locale.ROOT, "%-36s %9.1f µs  %-26s %9.1f µs  %-30s ratio %5.2f  limit %4.2f  %s%n",
        "receive p50 of a million, " + kind, Comparison.median(ofMany), "a receive", Comparison.median(ofFew),
        "of 1,000", ratio, 2.0, ratio <= 2 ? "ok" : "OVER");
  }

  private double micros(MailboxStore store) {
    long begun = System.nanoTime();
    LockBench.expect(receive(store).count() == 1);
    return (System.nanoTime() - begun) / 1000.0;
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
