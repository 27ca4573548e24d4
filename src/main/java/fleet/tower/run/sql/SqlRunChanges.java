package fleet.tower.run.sql;

import java.util.Locale;

import fleet.tower.platform.sql.Notifications;
import fleet.tower.platform.time.Notices;
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
  public Notices.Subscription listen(Topic topic, Notices.Listener listener) {
    return notifications.subscribe(name(topic), listener);
  }
}
