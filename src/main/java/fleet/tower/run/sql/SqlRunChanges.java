package fleet.tower.run.sql;

import java.util.Locale;

import fleet.tower.platform.sql.Notifications;
import fleet.tower.run.RunChanges;

/** Changes of runs as notifications of their shared database. */
final class SqlRunChanges implements RunChanges {
  private final Notifications notifications;

  SqlRunChanges(Notifications notifications) {
    this.notifications = notifications;
  }

  /** The name of a topic in the database. */
  static String name(Topic topic) {
    return topic.name().toLowerCase(Locale.ROOT);
  }

  @Override
  public boolean areAnnounced() {
    return true;
  }

  @Override
  public Listening listen(Topic topic, Listener listener) {
    return notifications.subscribe(name(topic), new Notifications.Listener() {
      @Override
      public void changed(String subject) {
        listener.changed(subject);
      }

      @Override
      public void missed() {
        listener.missed();
      }
    })::close;
  }
}
