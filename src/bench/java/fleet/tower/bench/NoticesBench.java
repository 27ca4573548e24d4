package fleet.tower.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;

import fleet.tower.lease.RequestId;
import fleet.tower.mailbox.Body;
import fleet.tower.mailbox.MailboxCommand;
import fleet.tower.mailbox.MailboxName;
import fleet.tower.mailbox.MailboxOutcome;
import fleet.tower.mailbox.MailboxStore;
import fleet.tower.mailbox.MessageId;
import fleet.tower.mailbox.sql.SqlMailboxes;
import fleet.tower.platform.sql.DirectTables;
import fleet.tower.platform.sql.PostgresServer;
import fleet.tower.platform.time.system.SystemTime;
import fleet.tower.task.Agent;
import fleet.tower.task.TaskCommand;
import fleet.tower.task.TaskId;
import fleet.tower.task.TaskOutcome;
import fleet.tower.task.TaskSpec;
import fleet.tower.task.TaskStore;
import fleet.tower.task.sql.SqlTasks;

/**
 * A benchmark of the announcements that wake receivers in a fleet: sends and new tasks in a database beside the same in
 * one whose function {@code pg_notify} does nothing.
 */
final class NoticesBench {
  private static final int ROUNDS = 9;
  private static final int TIMES = 400;
  private static final MailboxName BOX = new MailboxName("jobs");
  private static final Body BODY = Body.text("x".repeat(200));

  private final AtomicLong ids = new AtomicLong();

  /** One send, or one new task. */
  private interface Client {
    void pass();
  }

  void run() throws Exception {
    String loud = PostgresServer.newDatabase();
    String silent = silent();
    for (int clients : List.of(1, 8)) {
      try (MailboxStore ours = mailboxes(loud); MailboxStore other = mailboxes(silent)) {
        compare("send", clients, () -> send(ours), () -> send(other));
      }
      try (TaskStore ours = tasks(loud); TaskStore other = tasks(silent)) {
        compare("new task", clients, () -> create(ours), () -> create(other));
      }
    }
  }

  private static String silent() {
    String url = PostgresServer.newDatabase();
    DirectTables tables = new DirectTables(url);
    tables.change("CREATE SCHEMA silent");
    tables.change("CREATE FUNCTION silent.pg_notify(text, text) RETURNS void LANGUAGE sql AS ''");
    tables.change("ALTER DATABASE " + tables.look("SELECT current_database()").getFirst()
        + " SET search_path = public, silent, pg_catalog");
    return url;
  }

  private static MailboxStore mailboxes(String url) {
    return new SqlMailboxes(url, SystemTime.source()).open();
  }

  private static TaskStore tasks(String url) {
    return new SqlTasks(url, SystemTime.source()).open();
  }

  private void send(MailboxStore store) {
    LockBench.expect(store.send(MailboxCommand.Send.of(BOX, BODY),
        new MessageId("m" + ids.incrementAndGet())) instanceof MailboxOutcome.Sent);
  }

  private void create(TaskStore store) {
    TaskId id = new TaskId("t" + ids.incrementAndGet());
    LockBench.expect(store.create(new TaskCommand.Call(new Agent("bench"), new RequestId("r-" + id.value()), null),
        new TaskCommand.Create(id, TaskSpec.of("work")), id) instanceof TaskOutcome.Done);
  }

  private static void compare(String what, int clients, Client ours, Client other) throws Exception {
    double ratio = new Comparison(what + ", PostgreSQL, " + clients + (clients == 1 ? " client" : " clients"),
        "announced", "not announced", 4).measure(ROUNDS, TIMES, times -> all(ours, clients, times),
            times -> all(other, clients, times));
    LockBench.expect(ratio > 0);
  }

  private static void all(Client client, int clients, int times) throws Exception {
    try (ExecutorService pool = Executors.newFixedThreadPool(clients)) {
      List<Future<?>> shares = new ArrayList<>();
      for (int i = 0; i < clients; i++) {
        shares.add(pool.submit(() -> {
          for (int pass = 0; pass < times / clients; pass++) {
            client.pass();
          }
        }));
      }
      for (Future<?> share : shares) {
        share.get();
      }
    }
  }
}
