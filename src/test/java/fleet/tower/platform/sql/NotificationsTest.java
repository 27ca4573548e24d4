package fleet.tower.platform.sql;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import fleet.tower.harness.Await;
import fleet.tower.platform.time.Notices;
import fleet.tower.platform.time.SystemTime;

@DisplayName("Notifications of a shared database, with a real server")
class NotificationsTest {
  /** Connections that listen; their last statement is LISTEN at first, and later a probe. */
  private static final String LISTENING = " FROM pg_stat_activity WHERE datname = current_database()"
      + " AND (query LIKE 'LISTEN tower_events%' OR query = 'SELECT 1')";
  private static final String LISTENERS = "SELECT COUNT(*)" + LISTENING;

  private final String url = PostgresServer.newDatabase();
  private final DirectTables tables = new DirectTables(url);
  private final Database here = Database.at(url);
  private final Database there = Database.at(url);
  private final Notifications notifications = new Notifications(here, SystemTime.scheduler());

  @AfterEach
  void close() {
    notifications.close();
    here.close();
    there.close();
  }

  /** What a subscriber received, in order. */
  private static final class Received implements Notices.Listener {
    final List<String> events = new CopyOnWriteArrayList<>();

    @Override
    public void changed(String subject) {
      events.add(subject);
    }

    @Override
    public void missed() {
      events.add("missed");
    }

    long misses() {
      return events.stream().filter("missed"::equals).count();
    }

    void await(String event) {
      Await.until(event, () -> events.contains(event));
    }
  }

  private Received subscribed(String topic) {
    Received received = new Received();
    Notices.Subscription _ = notifications.subscribe(topic, received);
    received.await("missed");
    return received;
  }

  private void announce(String topic, String subject) {
    there.writeSwiftly(session -> {
      session.announce(topic, subject);
      return true;
    });
  }

  @Test
  @DisplayName("A subscriber receives only the subjects of its topic, from committed transactions")
  void ofItsTopic() {
    Received tasks = subscribed("tasks");
    announce("tasksandmore", "no");
    announce("mailboxes", "no");
    try {
      there.writeSwiftly(session -> {
        session.announce("tasks", "undone");
        throw new IllegalArgumentException("rolled back");
      });
    } catch (IllegalArgumentException expected) {
      assertThat(expected).hasMessage("rolled back");
    }
    announce("tasks", "a:b ü");
    announce("tasks", "");
    tasks.await("");
    assertThat(tasks.events).containsExactly("missed", "a:b ü", "");
  }

  @Test
  @DisplayName("Anything else on the channel is ignored")
  void garbage() {
    Received tasks = subscribed("tasks");
    for (String payload : List.of("", ":", "tasks", "nonsense", "{\"tasks\":1}", " tasks:x")) {
      tables.look("SELECT pg_notify('tower_events', '" + payload + "')");
    }
    tables.look("SELECT pg_notify('tower_locks', 'tasks:x')");
    announce("tasks", "good");
    tasks.await("good");
    assertThat(tasks.events).containsExactly("missed", "good");
  }

  @Test
  @DisplayName("A connection that is cut is replaced, and every subscriber learns that it may have missed something")
  void cut() {
    Received tasks = subscribed("tasks");
    Received mailboxes = new Received();
    try (var _ = notifications.subscribe("mailboxes", mailboxes)) {
      tables.look("SELECT pg_terminate_backend(pid)" + LISTENING);
      Await.until("both have missed something", () -> tasks.misses() > 1 && mailboxes.misses() > 0);
      announce("tasks", "after");
      tasks.await("after");
      announce("mailboxes", "after");
      mailboxes.await("after");
    }
  }

  @Test
  @DisplayName("One connection listens for all subscriptions, while there are any, and again later")
  void oneConnection() {
    Received first = new Received();
    Received second = new Received();
    try (var _ = notifications.subscribe("tasks", first); var _ = notifications.subscribe("tasks", second)) {
      first.await("missed");
      announce("tasks", "x");
      first.await("x");
      second.await("x");
      assertThat(tables.look(LISTENERS)).containsExactly("1");
    }
    Await.until("nothing listens", () -> tables.look(LISTENERS).equals(List.of("0")));
    announce("tasks", "unheard");
    Received again = subscribed("tasks");
    announce("tasks", "heard");
    again.await("heard");
    assertThat(again.events).doesNotContain("unheard");
    assertThat(first.events).doesNotContain("unheard", "heard");
  }

  @Test
  @DisplayName("After it is closed nothing listens, whether its database is closed or not")
  void closed() {
    Received tasks = subscribed("tasks");
    notifications.close();
    Await.until("nothing listens", () -> tables.look(LISTENERS).equals(List.of("0")));
    Notices.Subscription _ = notifications.subscribe("tasks", tasks);
    announce("tasks", "unheard");
    assertThat(tables.look(LISTENERS)).containsExactly("0");
    assertThat(tasks.events).containsExactly("missed");
  }
}
