package fleet.tower.task.sql;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import fleet.tower.lease.RequestId;
import fleet.tower.platform.sql.PostgresServer;
import fleet.tower.platform.time.ManualTime;
import fleet.tower.task.Agent;
import fleet.tower.task.TaskCommand;
import fleet.tower.task.TaskEvent;
import fleet.tower.task.TaskId;
import fleet.tower.task.TaskOutcome;
import fleet.tower.task.TaskSpec;
import fleet.tower.task.TaskStatus;
import fleet.tower.task.TaskStore;

@DisplayName("Several stores on one database at once")
class TaskRacesTest {
  private static final int STORES = 8;
  private static final TaskId ID = new TaskId("t");
  private static final TaskCommand.Start START = new TaskCommand.Start(ID, TaskCommand.DEFAULT_TTL,
      OptionalLong.empty());

  @TempDir
  private Path home = Path.of("");

  /** The database of the tasks. */
  enum Kind {
    SQLITE, POSTGRES
  }

  private String url(Kind kind) {
    return switch (kind) {
      case SQLITE -> "jdbc:sqlite:" + home.resolve("state/tower.db");
      case POSTGRES -> PostgresServer.newDatabase();
    };
  }

  private static TaskCommand.Call call(String agent, String request) {
    return new TaskCommand.Call(new Agent(agent), new RequestId(request), null);
  }

  private static TaskStore open(String url) {
    return new SqlTasks(url, new ManualTime()).open();
  }

  private static <T> List<T> atOnce(List<Callable<T>> work) throws ExecutionException, InterruptedException {
    try (ExecutorService pool = Executors.newFixedThreadPool(work.size())) {
      List<T> results = new ArrayList<>();
      for (Future<T> one : pool.invokeAll(work)) {
        results.add(one.get());
      }
      return results;
    }
  }

  private static void create(TaskStore store, TaskId id, TaskId... dependsOn) {
    assertThat(store.create(call("maker", "make-" + id), new TaskCommand.Create(id,
        new TaskSpec("work", "", 0, List.of(dependsOn), null, null, null)), id)).isInstanceOf(TaskOutcome.Done.class);
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("VB-2 VB-17 one request sent eight times at once has one effect, the others are replays; one of "
      + "eight agents gets the task")
  void oneRequest(Kind kind) throws ExecutionException, InterruptedException {
    String url = url(kind);
    try (TaskStore store = open(url)) {
      create(store, ID);
      List<Callable<TaskOutcome>> same = new ArrayList<>();
      List<Callable<TaskOutcome>> rivals = new ArrayList<>();
      for (int i = 0; i < STORES; i++) {
        String rival = "rival-" + i;
        same.add(() -> withStore(url, its -> its.start(call("ann", "r"), START)));
        rivals.add(() -> withStore(url, its -> its.start(call(rival, "r"), START)));
      }

      List<TaskOutcome> answers = atOnce(same);

      assertThat(answers).hasOnlyElementsOfType(TaskOutcome.Done.class);
      assertThat(answers).filteredOn(answer -> !((TaskOutcome.Done) answer).replayed()).hasSize(1);
      assertThat(atOnce(rivals)).hasOnlyElementsOfType(TaskOutcome.Contended.class);
      assertThat(store.events(new TaskStore.EventQuery(ID, 0, 100))).extracting(TaskEvent::kind)
          .containsExactly(TaskEvent.Kind.TASK_CREATED, TaskEvent.Kind.TASK_CLAIMED);
    }
  }

  /** An action on a store. */
  private interface Use<T> {
    T with(TaskStore store);
  }

  private static <T> T withStore(String url, Use<T> use) {
    try (TaskStore store = open(url)) {
      return use.with(store);
    }
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("VB-14 a task created while its dependency is completed is still offered")
  void completedMeanwhile(Kind kind) throws ExecutionException, InterruptedException {
    String url = url(kind);
    try (TaskStore one = open(url); TaskStore other = open(url)) {
      for (int i = 0; i < 40; i++) {
        TaskId first = new TaskId("first-" + i);
        TaskId second = new TaskId("second-" + i);
        create(one, first);
        one.start(call("ann", "start-" + i), new TaskCommand.Start(first, TaskCommand.DEFAULT_TTL, OptionalLong.of(1)));
        TaskCommand.Call close = call("ann", "close-" + i);
        atOnce(List.of(() -> one.change(close,
            new TaskCommand.Close(first, OptionalLong.of(1), TaskCommand.Ending.DONE, null)), () -> {
              create(other, second, first);
              return close;
            }));
        assertThat(one.start(call("bob", "take-" + i),
            new TaskCommand.Start(second, TaskCommand.DEFAULT_TTL, OptionalLong.empty())))
            .isInstanceOf(TaskOutcome.Done.class);
      }
      assertThat(one.list(new TaskStore.Query(TaskStatus.COMPLETED, null, null, 100)).tasks()).hasSize(40);
    }
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("VB-B13 a caller of a busy database waits, and succeeds when it is free")
  void busy(Kind kind) throws SQLException, ExecutionException, InterruptedException {
    String url = url(kind);
    withStore(url, store -> {
      create(store, ID);
      return ID;
    });
    try (TaskStore store = open(url);
        Connection other = DriverManager.getConnection(url);
        Statement statement = other.createStatement();
        ExecutorService pool = Executors.newSingleThreadExecutor()) {
      statement.execute(kind == Kind.SQLITE ? "BEGIN IMMEDIATE" : "BEGIN");
      statement.execute("UPDATE tasks SET title = 'other'");
      Future<TaskOutcome> started = pool.submit(() -> store.start(call("ann", "r"), START));
      while (kind == Kind.POSTGRES && new TaskDatabase(url)
          .look("SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'").isEmpty()) {
        Thread.onSpinWait();
      }
      assertThat(started.isDone()).isFalse();
      statement.execute("COMMIT");
      assertThat(started.get()).isInstanceOf(TaskOutcome.Done.class);
    }
  }
}
