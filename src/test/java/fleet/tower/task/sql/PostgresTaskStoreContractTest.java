package fleet.tower.task.sql;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import fleet.tower.harness.Await;
import fleet.tower.platform.sql.Database;
import fleet.tower.platform.sql.Notifications;
import fleet.tower.platform.sql.PostgresServer;
import fleet.tower.platform.time.ManualTime;
import fleet.tower.platform.time.Notices;
import fleet.tower.platform.time.SystemTime;
import fleet.tower.task.TaskCommand;
import fleet.tower.task.TaskId;
import fleet.tower.task.TaskStore;
import fleet.tower.task.TaskStoreContract;

@DisplayName("Tasks in PostgreSQL fulfil the contract of every task store")
class PostgresTaskStoreContractTest extends TaskStoreContract {
  private final TaskDatabase database = new TaskDatabase(PostgresServer.newMigratedDatabase());
  private final TaskStore store = new SqlTasks(database.url(), new ManualTime()).open();

  @AfterEach
  void close() {
    store.close();
  }

  @Override
  protected TaskStore store() {
    return store;
  }

  @Override
  protected void pass(Duration duration) {
    database.pass(duration);
  }

  @Test
  @DisplayName("Other hosts are notified of what may make a task available, and of nothing else")
  void noticed() {
    AtomicInteger notices = new AtomicInteger();
    AtomicInteger barriers = new AtomicInteger();
    try (Database shared = Database.at(database.url());
        Notifications notifications = new Notifications(shared, SystemTime.scheduler());
        var _ = new SqlTasks(database.url(), new ManualTime()).notices(notifications)
            .subscribe(Notices.Listener.of(notices::incrementAndGet));
        var _ = notifications.subscribe("barrier", new Notices.Listener() {
          @Override
          public void changed(String subject) {
            barriers.incrementAndGet();
          }

          @Override
          public void missed() {
            // The connection has begun.
          }
        })) {
      Await.until("it listens", () -> notices.get() == 1);
      create("t");
      create("t2");
      done(claim(ANN));
      done(store.change(by(ANN), new TaskCommand.Heartbeat(new TaskId("t"), ANY, MINUTE)));
      done(store.change(by(ANN), new TaskCommand.Release(new TaskId("t"), ANY)));
      done(claim(ANN));
      done(store.change(by(ANN), new TaskCommand.Close(new TaskId("t"), ANY, TaskCommand.Ending.DONE, null)));
      shared.writeSwiftly(session -> {
        session.announce("barrier", "");
        return true;
      });
      Await.until("all have arrived", () -> barriers.get() == 1);
      assertThat(notices).as("2 creations, a release and a close").hasValue(1 + 4);
    }
  }
}
