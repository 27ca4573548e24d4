package fleet.tower.task.sql;

import java.sql.SQLException;

import fleet.tower.platform.sql.Notifications;
import fleet.tower.platform.sql.Session;
import fleet.tower.task.TaskCommand;
import fleet.tower.task.worker.TaskNotices;

/** The announcements that a task may have become available. */
record AnnouncedTasks(Notifications notifications) implements TaskNotices {
  private static final String TOPIC = "tasks";

  /** Announces what a command that succeeded may have made available, when the transaction commits. */
  static void announce(Session session, TaskCommand command) throws SQLException {
    switch (command) {
      case TaskCommand.Create _,TaskCommand.Close _,TaskCommand.Release _,TaskCommand.Sweep _ ->
        session.announce(TOPIC, "");
      case TaskCommand.Claim _,TaskCommand.Resume _,TaskCommand.Start _,TaskCommand.Heartbeat _ -> {
      }
    }
  }

  @Override
  public Subscription subscribe(Runnable work) {
    return notifications.subscribe(TOPIC, new Notifications.Listener() {
      @Override
      public void changed(String subject) {
        work.run();
      }

      @Override
      public void missed() {
        work.run();
      }
    })::close;
  }
}
