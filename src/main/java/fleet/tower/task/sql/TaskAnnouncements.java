package fleet.tower.task.sql;

import java.sql.SQLException;

import fleet.tower.platform.sql.Session;
import fleet.tower.task.TaskCommand;

/** The announcements that a task may have become available; they have no subject. */
final class TaskAnnouncements {
  static final String TOPIC = "tasks";

  private TaskAnnouncements() {}

  /** Announces what a command that succeeded may have made available, when the transaction commits. */
  static void announce(Session session, TaskCommand command) throws SQLException {
    switch (command) {
      case TaskCommand.Create _,TaskCommand.Close _,TaskCommand.Release _,TaskCommand.Expire _ ->
        session.announce(TOPIC, "");
      case TaskCommand.Claim _,TaskCommand.Resume _,TaskCommand.Start _,TaskCommand.Heartbeat _ -> {
      }
    }
  }
}
