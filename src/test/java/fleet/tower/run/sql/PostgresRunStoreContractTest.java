package fleet.tower.run.sql;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import fleet.tower.harness.Await;
import fleet.tower.lease.Actor;
import fleet.tower.lease.Door;
import fleet.tower.lease.RequestId;
import fleet.tower.platform.sql.Database;
import fleet.tower.platform.sql.Notifications;
import fleet.tower.platform.sql.PostgresServer;
import fleet.tower.platform.time.Notices;
import fleet.tower.platform.time.SystemTime;
import fleet.tower.run.Run;
import fleet.tower.run.RunChanges.Topic;
import fleet.tower.run.RunRequests.Kind;
import fleet.tower.run.RunStatus;
import fleet.tower.run.RunStore;
import fleet.tower.run.RunStoreContract;
import fleet.tower.run.Runs;

@DisplayName("The PostgreSQL run store fulfils the contract of every run store")
class PostgresRunStoreContractTest extends RunStoreContract {
  private final SqlRuns runs = new SqlRuns(PostgresServer.newMigratedDatabase());
  private final RunStore store = runs.open();

  @AfterEach
  void close() {
    store.close();
  }

  @Override
  protected RunStore store() {
    return store;
  }

  @Override
  protected RunStore another() {
    return runs.open();
  }

  @Test
  @DisplayName("Each change of a run, and each new request, is announced to other processes")
  void announced() {
    List<String> heard = new CopyOnWriteArrayList<>();
    try (Database database = Database.at(runs.location().url());
        Notifications notifications = new Notifications(database, SystemTime.scheduler());
        RunStore listening = runs.open(notifications);
        Notices.Subscription _ = listening.changes().listen(Topic.RUNS, new Heard("run", heard))) {
      // Only a listener that was there before the connection gets this.
      Await.until("it is connected", () -> heard.equals(List.of("run missed")));
      heard.clear();
      try (Notices.Subscription _ = listening.changes().listen(Topic.RUN_REQUESTS, new Heard("requests", heard))) {
        changes(heard);
      }
      assertThat(store.changes().areAnnounced()).isFalse();
      assertThat(listening.changes().areAnnounced()).isTrue();
    }
  }

  private void changes(List<String> heard) {
    RequestId r = new RequestId("r");
    Run waiting = Runs.waiting("r");
    store.begin(Runs.claim("r"), waiting, "one");
    awaitOnly(heard, () -> store.take(r, "one", "two"), "run r");
    awaitOnly(heard, () -> store.start(waiting.withStatus(RunStatus.RUNNING), "two"), "run r");
    awaitOnly(heard, () -> store.requests().put(r, "two", Kind.CANCEL, new Actor("bob", Door.HTTP)), "requests two");
    awaitOnly(heard, () -> store.save(waiting, false), "run r");
    awaitOnly(heard, () -> store.interrupt(r, "two", Runs.NOON), "run r");
  }

  private static void awaitOnly(List<String> heard, Runnable change, String announcement) {
    change.run();
    Await.until(announcement, () -> heard.equals(List.of(announcement)));
    heard.clear();
  }

  private record Heard(String topic, List<String> heard) implements Notices.Listener {
    @Override
    public void changed(String subject) {
      heard.add(topic + " " + subject);
    }

    @Override
    public void missed() {
      heard.add(topic + " missed");
    }
  }
}
