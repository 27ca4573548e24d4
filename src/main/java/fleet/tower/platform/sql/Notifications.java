package fleet.tower.platform.sql;

import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import fleet.tower.platform.StorageException;
import fleet.tower.platform.time.Notices;
import fleet.tower.platform.time.Scheduler;

/**
 * The notifications of a shared database, as one connection of this process receives them while anything is
 * subscribed. A connection that is cut is replaced, after growing pauses. A database of one host sends none, so every
 * subscriber also polls.
 */
public final class Notifications implements AutoCloseable {
  private final Database database;
  private final Scheduler scheduler;
  private final List<Subscription> subscriptions = new CopyOnWriteArrayList<>();
  private boolean isListening;
  private volatile boolean isClosed;

  /** @param database stays open when this is closed */
  public Notifications(Database database, Scheduler scheduler) {
    this.database = database;
    this.scheduler = scheduler;
  }

  /** A topic that is listened to. */
  private final class Subscription implements Notices.Subscription {
    private final String prefix;
    private final Notices.Listener listener;

    private Subscription(String topic, Notices.Listener listener) {
      this.prefix = prefix(topic);
      this.listener = listener;
    }

    private void receive(String payload) {
      if (payload.startsWith(prefix)) {
        listener.changed(payload.substring(prefix.length()));
      }
    }

    @Override
    public void close() {
      subscriptions.remove(this);
    }
  }

  static String prefix(String topic) {
    return topic + ":";
  }

  /** The notices of one topic of {@link Session#announce}. */
  public Notices of(String topic) {
    return listener -> subscribe(topic, listener);
  }

  /** Listens to a topic of {@link Session#announce}. Connects in the background. */
  public Notices.Subscription subscribe(String topic, Notices.Listener listener) {
    Subscription subscription = new Subscription(topic, listener);
    subscriptions.add(subscription);
    if (!database.isOfOneHost()) {
      listen();
    }
    return subscription;
  }

  /** Announces to the subscribers of a topic, outside of any change; see {@link Session#announce}. */
  public void announce(String topic, String subject) {
    database.writeSwiftly(session -> {
      session.announce(topic, subject);
      return true;
    });
  }

  private synchronized void listen() {
    if (!isListening && !isClosed) {
      isListening = true;
      Thread.ofVirtual().name("tower-notifications").start(this::receive);
    }
  }

  private boolean isNeeded() {
    return !isClosed && !subscriptions.isEmpty();
  }

  private void receive() {
    GrowingPause pause = new GrowingPause(scheduler);
    while (!hasEnded()) {
      try (Session connection = connect()) {
        pause.reset();
        subscriptions.forEach(it -> it.listener.missed());
        connection.receive(this::isNeeded, payload -> subscriptions.forEach(it -> it.receive(payload)));
      } catch (SQLException | StorageException cut) {
        pause.pause();
      } catch (IllegalStateException closing) {
        // The database was closed with this, but first.
        isClosed = true;
      }
    }
  }

  private synchronized boolean hasEnded() {
    isListening = isNeeded();
    return !isListening;
  }

  private Session connect() {
    return database.listen(session -> {
      session.execute("LISTEN " + Session.CHANNEL);
      return true;
    });
  }

  /** Stops listening; the connection is closed a moment later. */
  @Override
  public void close() {
    isClosed = true;
  }
}
