package fleet.tower.task.sql;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import fleet.tower.harness.Extent;
import fleet.tower.lease.RequestId;
import fleet.tower.lock.file.ChildJvm;
import fleet.tower.platform.time.SystemTime;
import fleet.tower.task.Agent;
import fleet.tower.task.TaskCommand;
import fleet.tower.task.TaskEvent;
import fleet.tower.task.TaskId;
import fleet.tower.task.TaskSpec;
import fleet.tower.task.TaskStatus;
import fleet.tower.task.TaskStore;

/** The contract of a task store with agents that are processes and are killed. */
@Timeout(1200)
abstract class TaskProcessesContract {
  private static final int WORKERS = Extent.of(3, 8, 8);
  /** One round in a build; the profile "long" has more. */
  private static final int KILLS_EACH = Extent.of(1, 15);
  private static final int TASKS = Integer.getInteger("hammer.tasks", Extent.of(40, 80, 10_000));
  private static final TaskStore.EventQuery ALL = new TaskStore.EventQuery(null, 0, 1_000_000);

  /** The database that all processes of a test share; it is empty before the test. */
  protected abstract TaskDatabase database();

  private TaskStore open() {
    return new SqlTasks(database().url(), SystemTime.source()).open();
  }

  @Test
  @DisplayName("VB-B1 VB-B7 VB-21 T13 workers that are killed repeatedly: no task has two owners, attempts "
      + "grow by one, all work is done in the end")
  void killedWorkers() throws ExecutionException, InterruptedException, IOException {
    try (TaskStore store = open()) {
      fill(store);
      List<String> said = Collections.synchronizedList(new ArrayList<>());
      List<String> ends = new ArrayList<>();
      dieWithClaim(said);
      try (ExecutorService slots = Executors.newFixedThreadPool(WORKERS)) {
        List<Future<String>> working = new ArrayList<>();
        for (int slot = 0; slot < WORKERS; slot++) {
          long seed = slot;
          // Each two have one name.
          working.add(slots.submit(() -> workAndDie("agent-" + seed / 2, new Random(seed), said)));
        }
        for (Future<String> one : working) {
          ends.add(one.get());
        }
      }
      List<TaskEvent> events = store.events(ALL);
      assertThat(ends).containsOnly("done");
      assertThat(TaskHistory.violations(events, TaskWorkerMain.TTL.seconds() * 1000)).isEmpty();
      assertThat(store.list(new TaskStore.Query(TaskStatus.COMPLETED, null, null, TASKS + 1)).tasks()).hasSize(TASKS);
      assertThat(events).as("killed with a claim").extracting(TaskEvent::kind).contains(TaskEvent.Kind.TASK_LOST);
      assertThat(events.stream().map(TaskEvent::id).map(Object::toString).toList())
          .as("every acknowledged change is there").containsAll(said);
    }
  }

  private void fill(TaskStore store) {
    for (int i = 0; i < TASKS; i++) {
      TaskId id = new TaskId("t" + i);
      store.create(new TaskCommand.Call(new Agent("maker"), new RequestId("m" + i), null),
          new TaskCommand.Create(id, TaskSpec.of("work " + i)), id);
    }
  }

  /** A process that is killed with a claim, however late that is. */
  private void dieWithClaim(List<String> said) throws IOException, InterruptedException {
    Process worker = worker("holder", 0, TaskWorkerMain.HOLD);
    assertThat(listen(worker.inputReader(StandardCharsets.UTF_8), 1, said)).startsWith("claimed");
    worker.toHandle().destroyForcibly();
    worker.waitFor();
  }

  /** A sequence of processes in one place; each but the last is killed during its work. */
  private String workAndDie(String agent, Random random, List<String> said) throws IOException, InterruptedException {
    for (int kill = 0; kill < KILLS_EACH; kill++) {
      Process worker = worker(agent, random.nextLong());
      String last = listen(worker.inputReader(StandardCharsets.UTF_8), 2 + random.nextInt(20), said);
      worker.toHandle().destroyForcibly();
      if (last.equals("done")) {
        return last;
      }
      listen(worker.inputReader(StandardCharsets.UTF_8), Integer.MAX_VALUE, said);
      worker.waitFor();
    }
    Process worker = worker(agent, random.nextLong());
    try {
      return listen(worker.inputReader(StandardCharsets.UTF_8), Integer.MAX_VALUE, said);
    } finally {
      worker.destroyForcibly();
    }
  }

  private Process worker(String agent, long seed, String... mode) throws IOException {
    List<String> arguments = new ArrayList<>(List.of(agent, Long.toString(seed)));
    arguments.addAll(List.of(mode));
    return new ProcessBuilder(ChildJvm.commandOnDatabase(TaskWorkerMain.class, database().url(),
        arguments.toArray(String[]::new))).redirectError(ProcessBuilder.Redirect.DISCARD).start();
  }

  /** Reads at least so many lines, up to one that reports a claim, or all; an unfinished last line is left out. */
  private static String listen(BufferedReader worker, int lines, List<String> said) throws IOException {
    String last = "";
    for (int i = 0; i < lines || !last.startsWith("claimed"); i++) {
      String line = worker.readLine();
      if (line == null) {
        return last;
      }
      String[] words = line.split(" ", -1);
      if (words.length == 4 && !words[0].equals("refused") && words[3].matches("\\d+")) {
        said.add(words[3]);
      }
      last = line;
    }
    return last;
  }

  @Test
  @DisplayName("VB-1 processes that start at once on an empty database create its tables once")
  void madeOnce() throws IOException {
    List<Process> workers = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      workers.add(worker("agent", i));
    }
    for (Process worker : workers) {
      assertThat(worker.inputReader(StandardCharsets.UTF_8).lines().toList()).containsExactly("ready", "done");
    }
    try (TaskStore store = open()) {
      fill(store);
    }
    assertThat(database().look("SELECT version FROM schema_versions ORDER BY version")).containsExactly("1");
  }

  @Test
  @DisplayName("A history in which two agents have one task at once is detected")
  void judge() {
    TaskId task = new TaskId("t");
    TaskCommand.Call call = new TaskCommand.Call(new Agent("a"), new RequestId("r"), null);
    TaskEvent.About first = new TaskEvent.About(new Agent("a"), 1);
    TaskEvent.About second = new TaskEvent.About(new Agent("b"), 2);
    Instant noon = Instant.parse("2026-01-01T12:00:00Z");
    TaskEvent claimed = new TaskEvent(1, task, TaskEvent.Kind.TASK_CLAIMED, call, first, noon, "{}");
    TaskEvent lost = new TaskEvent(2, task, TaskEvent.Kind.TASK_LOST, call, first, noon.plusMillis(500), "{}");
    TaskEvent again = new TaskEvent(3, task, TaskEvent.Kind.TASK_CLAIMED, call, second, noon.plusMillis(500), "{}");

    assertThat(TaskHistory.violations(List.of(claimed, again), 1000)).singleElement().asString()
        .startsWith("claimed while another one has it");
    assertThat(TaskHistory.violations(List.of(claimed, lost, again), 1000)).singleElement().asString()
        .startsWith("lost before it had expired");
    assertThat(TaskHistory.violations(List.of(claimed, lost, again), 400)).isEmpty();
  }
}
