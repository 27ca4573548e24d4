package fleet.tower.lock.file;

import fleet.tower.lease.RequestId;
import fleet.tower.lease.Ttl;
import fleet.tower.mailbox.MailboxStore;
import fleet.tower.mailbox.MailboxWork;
import fleet.tower.mailbox.sql.SqlMailboxes;
import fleet.tower.platform.time.SystemTime;
import fleet.tower.run.RunStore;
import fleet.tower.run.Runs;
import fleet.tower.run.sql.SqlRuns;
import fleet.tower.task.Agent;
import fleet.tower.task.TaskCommand;
import fleet.tower.task.TaskId;
import fleet.tower.task.TaskSpec;
import fleet.tower.task.TaskStore;
import fleet.tower.task.sql.SqlTasks;

/** Uses an empty database as the children of tests do, so that a start-up cache has the classes for it. */
final class DatabaseTrainingMain {
  private DatabaseTrainingMain() {}

  /** Arguments: the database's URL. */
  static void main(String[] arguments) {
    String url = arguments[0];
    try (TaskStore tasks = new SqlTasks(url, SystemTime.source()).open()) {
      TaskId id = new TaskId("t");
      tasks.create(call("r1"), new TaskCommand.Create(id, TaskSpec.of("work")), id);
      tasks.claim(call("r2"), new TaskCommand.Claim(null, new Ttl(60), false));
      tasks.list(new TaskStore.Query(null, null, null, 1));
    }
    try (RunStore runs = new SqlRuns(url).open()) {
      runs.begin(Runs.claim("r", "key-r"), Runs.waiting("r"), "process");
      runs.save(Runs.succeeded(Runs.waiting("r")), true);
    }
    try (MailboxStore mailboxes = new SqlMailboxes(url, SystemTime.source()).open()) {
      MailboxWork work = new MailboxWork(mailboxes);
      work.send("m");
      work.ack(work.one(60));
    }
  }

  private static TaskCommand.Call call(String request) {
    return new TaskCommand.Call(new Agent("a"), new RequestId(request), null);
  }
}
