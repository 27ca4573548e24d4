package fleet.tower.bench;

import java.util.concurrent.atomic.AtomicLong;

import fleet.tower.lease.RequestId;
import fleet.tower.mailbox.MailboxCommand;
import fleet.tower.mailbox.MailboxName;
import fleet.tower.mailbox.MailboxOutcome;
import fleet.tower.mailbox.MailboxStore;
import fleet.tower.mailbox.MessageBody;
import fleet.tower.mailbox.MessageId;
import fleet.tower.mailbox.sql.SqlMailboxes;
import fleet.tower.performance.Measure;
import fleet.tower.performance.Report;
import fleet.tower.platform.sql.DirectTables;
import fleet.tower.platform.sql.PostgresServer;
import fleet.tower.platform.time.SystemTime;
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
  private static final MessageBody BODY = MessageBody.text("x".repeat(200));

  private final AtomicLong ids = new AtomicLong();

  void run(Report report) throws Exception {
    String loud = PostgresServer.newDatabase();
    String silent = silent();
    try (MailboxStore ours = mailboxes(loud); MailboxStore other = mailboxes(silent)) {
      compare(1, _ -> send(ours), _ -> send(other)).report(report, Measure.SEND);
      compare(8, _ -> send(ours), _ -> send(other)).report(report, Measure.SEND_8);
    }
    try (TaskStore ours = tasks(loud); TaskStore other = tasks(silent)) {
      compare(1, _ -> create(ours), _ -> create(other)).report(report, Measure.NEW_TASK);
      compare(8, _ -> create(ours), _ -> create(other)).report(report, Measure.NEW_TASK_8);
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

  private static Comparison compare(int clients, Clients.Pass ours, Clients.Pass other) throws Exception {
    return Comparison.of(ROUNDS, TIMES, Clients.shared(clients, ours), Clients.shared(clients, other));
  }
}
