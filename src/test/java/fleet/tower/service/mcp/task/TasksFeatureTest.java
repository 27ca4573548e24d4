package fleet.tower.service.mcp.task;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.nio.file.Path;
import java.time.Duration;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import fleet.tower.access.Caller;
import fleet.tower.access.Role;
import fleet.tower.access.Scope;
import fleet.tower.harness.Await;
import fleet.tower.lease.RequestId;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.run.ManualProcesses;
import fleet.tower.run.Processes;
import fleet.tower.run.RunStatus;
import fleet.tower.run.submit.IntentBuilder;
import fleet.tower.service.mcp.wire.Exchange;
import fleet.tower.service.mcp.wire.Feature;
import fleet.tower.service.mcp.wire.ProtocolError;
import fleet.tower.service.mcp.wire.Revision;

class TasksFeatureTest {
  private static final Processes.Exit OK = new Processes.Exited(0);
  private static final Duration NONE = Duration.ZERO;
  private final Follow follow;

  TasksFeatureTest(@TempDir Path directory) {
    follow = new Follow(directory);
    follow.works.with(IntentBuilder.mutate("deploy").lock("prod").undoable("build").step("ship", "cp"));
  }

  @AfterEach
  void close() {
    follow.close();
  }

  private static RecordedExchange about(String id) {
    return RecordedExchange.accepting("\"taskId\":\"" + id + "\",\"inputResponses\":{}");
  }

  private JsonObject call(String method, Exchange exchange) {
    Feature.Method called = follow.feature.methods(Revision.V2026_07_28).get(method);
    if (called == null) {
      throw new AssertionError("no method " + method);
    }
    return RecordedExchange.json(called.call(exchange).end());
  }

  private JsonObject get(String id) {
    return call("tasks/get", about(id));
  }

  private ProtocolError error(String method, Exchange exchange) {
    return catchThrowableOfType(ProtocolError.class, () -> call(method, exchange));
  }

  private JsonObject resultOf(JsonObject task) {
    assertThat(task.text("status")).hasValue("completed");
    assertThat(task.get("pollIntervalMs")).isNull();
    return task.object("result").orElseThrow();
  }

  @Test
  @DisplayName("The extension belongs only to the newer revision")
  void revisions() {
    assertThat(follow.feature.capabilities(Revision.V2026_07_28).end())
        .isEqualTo("{\"extensions\":{\"io.modelcontextprotocol/tasks\":{}}}");
    assertThat(follow.feature.methods(Revision.V2026_07_28)).containsOnlyKeys("tasks/get", "tasks/update",
        "tasks/cancel");
    assertThat(follow.feature.capabilities(Revision.V2025_11_25).end()).isEqualTo("{}");
    assertThat(follow.feature.methods(Revision.V2025_11_25)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"tasks/get", "tasks/update", "tasks/cancel"})
  @DisplayName("A client that did not declare the extension is told which capability it needs")
  void undeclared(String method) {
    ProtocolError error = error(method, RecordedExchange.plain());

    assertThat(error.code()).isEqualTo(-32021);
    assertThat(requireNonNull(error.data()).end())
        .isEqualTo("{\"requiredCapabilities\":{\"extensions\":{\"io.modelcontextprotocol/tasks\":{}}}}");
  }

  @ParameterizedTest
  @ValueSource(strings = {"tasks/get", "tasks/update", "tasks/cancel"})
  @DisplayName("An unknown, invalid or missing id is an invalid parameter")
  void unknown(String method) {
    assertThat(error(method, about("nobody"))).hasMessage("there is no task 'nobody'")
        .extracting(ProtocolError::code).isEqualTo(-32602);
    assertThat(error(method, about("../x"))).hasMessageContaining("'../x'").extracting(ProtocolError::code)
        .isEqualTo(-32602);
    assertThat(error(method, RecordedExchange.accepting(""))).hasMessageContaining("taskId")
        .extracting(ProtocolError::code).isEqualTo(-32602);
  }

  @Test
  @DisplayName("A waiting and a running run are working; the interval grows with the age; the ttl lasts to the end")
  void working() {
    follow.works.hold("prod", "other");
    follow.works.accepted(Follow.request("deploy", "r1", Duration.ofMinutes(10)));
    follow.works.awaitWaiter("prod");
    Await.until("it knows its place", () -> get("r1").text("statusMessage").orElseThrow().startsWith("1st in line"));
    assertThat(get("r1").text("status")).hasValue("working");
    assertThat(get("r1").get("result")).isNull();

    follow.works.delete("prod");
    follow.works.time.advance(Duration.ofSeconds(30));
    ManualProcesses.Hand build = follow.works.processes.awaitStart(1);
    JsonObject task = get("r1");
    assertThat(task.text("status")).hasValue("working");
    assertThat(task.text("statusMessage")).hasValue("step 1 of 2: build");
    assertThat(task.text("createdAt")).hasValue("2026-01-01T10:00:00Z");
    assertThat(task.text("lastUpdatedAt").orElseThrow()).isGreaterThan("2026-01-01T10:00:00Z");
    assertThat(task.integer("pollIntervalMs")).hasValue(3000);
    assertThat(task.integer("ttlMs")).hasValue(Follow.RETENTION.plusSeconds(30).toMillis());
    follow.works.time.advance(Duration.ofMinutes(2));
    assertThat(get("r1").integer("pollIntervalMs")).hasValue(5000);
    build.exit(0);
    follow.works.processes.awaitStart(2).exit(0);
  }

  @Test
  @DisplayName("A run that succeeded is completed with the result that the call would have had")
  void succeeded() {
    follow.works.processes.plan("build", OK).plan("ship", OK);
    follow.works.accepted(Follow.request("deploy", "r1", NONE)).await();

    JsonObject result = resultOf(get("r1"));

    assertThat(result.raw(requireNonNull(result.get("isError")))).isEqualTo("false");
    assertThat(result.text("resultType")).hasValue("complete");
    assertThat(result.object("structuredContent").orElseThrow().text("outcome")).hasValue("succeeded");
    assertThat(result.objects("content").getFirst().text("text").orElseThrow())
        .startsWith("Run r1 of deploy succeeded");
  }

  @Test
  @DisplayName("A run that failed is completed with a result that is an error")
  void failed() {
    follow.works.processes.plan("build", OK).plan("ship", new Processes.Exited(3)).plan("build.rollback", OK);
    follow.works.accepted(Follow.request("deploy", "r1", NONE)).await();

    JsonObject task = get("r1");

    assertThat(task.get("error")).isNull();
    assertThat(task.text("statusMessage")).hasValue("failed at step ship with exit code 3 after 0.0s");
    JsonObject result = resultOf(task);
    assertThat(result.raw(requireNonNull(result.get("isError")))).isEqualTo("true");
    assertThat(result.object("structuredContent").orElseThrow().text("outcome")).hasValue("failed");
  }

  @Test
  @DisplayName("A run whose executor died is completed with an error: how far it got is unknown")
  void interrupted() {
    follow.works.accepted(Follow.request("deploy", "r1", NONE));
    follow.works.processes.awaitStart(1);
    follow.works.deadExecutors.add("executor-1");
    // The same home, seen by another process.
    RunTasks elsewhere = new RunTasks(follow.works.executor("executor-2"), follow.results, follow.works.time,
        Follow.RETENTION);

    JsonObject task = RecordedExchange.json(elsewhere.detailed("r1", about("r1")).orElseThrow().end());

    JsonObject result = resultOf(task);
    assertThat(result.raw(requireNonNull(result.get("isError")))).isEqualTo("true");
    JsonObject structured = result.object("structuredContent").orElseThrow();
    assertThat(structured.text("outcome")).hasValue("interrupted");
    assertThat(structured.objects("next_actions"))
        .extracting(action -> action.text("href").or(() -> action.text("tool")).orElse(""))
        .contains("explain_lock", "/intents/deploy");
  }

  @Test
  @DisplayName("A request that waited without success is completed with a refusal; how to repeat it is advice")
  void refused() {
    follow.works.hold("prod", "other");
    follow.works.accepted(Follow.request("deploy", "r1", Duration.ofSeconds(10)));
    follow.works.awaitWaiter("prod");
    follow.works.time.advance(Duration.ofSeconds(11));
    Await.until("it was refused",
        () -> follow.works.store.find(new RequestId("r1")).orElseThrow().status() == RunStatus.REFUSED);

    JsonObject structured = resultOf(get("r1")).object("structuredContent").orElseThrow();

    assertThat(structured.text("outcome")).hasValue("refused");
    assertThat(structured.text("error")).hasValue("lock_wait_timeout");
    assertThat(structured.object("held_by").orElseThrow().text("actor")).hasValue("bob");
    assertThat(structured.objects("next_actions").stream().map(action -> action.text("why").orElseThrow()))
        .contains("wait longer: call the tool of the intent again with the same arguments and tower_wait_seconds 3600");
  }

  @Test
  @DisplayName("Its agent cancels a run by its task: the step is stopped, rolled back, and the lock released")
  void cancelled() {
    follow.works.accepted(Follow.request("deploy", "r1", NONE));
    ManualProcesses.Hand build = follow.works.processes.awaitStart(1);
    follow.works.processes.plan("build.rollback", OK);

    assertThat(call("tasks/cancel", about("r1")).raw()).isEqualTo("{}");

    Await.until("it is cancelled", () -> get("r1").text("status").orElseThrow().equals("cancelled"));
    assertThat(get("r1").get("result")).isNull();
    assertThat(build.isStopped()).isTrue();
    assertThat(follow.works.processes.events()).contains("start build.rollback");
    assertThat(follow.works.isLocked("prod")).isFalse();
    assertThat(call("tasks/cancel", about("r1")).raw()).as("again").isEqualTo("{}");
  }

  @Test
  @DisplayName("Another agent and a viewer see a task and may not cancel or update it; an operator may")
  void others() {
    follow.works.accepted(Follow.request("deploy", "r1", NONE));
    ManualProcesses.Hand build = follow.works.processes.awaitStart(1);
    RecordedExchange viewer = about("r1").by(Caller.of("vic", Role.VIEWER, Scope.ALL));
    RecordedExchange agent = about("r1").by(RecordedExchange.agent("bob"));

    assertThat(call("tasks/get", viewer).text("status")).hasValue("working");
    for (RecordedExchange other : new RecordedExchange[]{viewer, agent}) {
      assertThat(error("tasks/cancel", other)).hasMessageContaining("may not cancel task r1");
      assertThat(error("tasks/update", other)).hasMessageContaining("may not update task r1");
    }
    assertThat(build.isStopped()).isFalse();
    call("tasks/cancel", about("r1").by(Caller.of("olga", Role.OPERATOR, Scope.ALL)));
    follow.works.processes.awaitStop(build);
  }

  @Test
  @DisplayName("An update is acknowledged and changes nothing, because no task needs input")
  void updated() {
    follow.works.accepted(Follow.request("deploy", "r1", NONE));
    follow.works.processes.awaitStart(1);

    assertThat(call("tasks/update", about("r1")).raw()).isEqualTo("{}");
    assertThat(error("tasks/update", RecordedExchange.accepting("\"taskId\":\"r1\"")))
        .hasMessageContaining("inputResponses");

    assertThat(get("r1").text("status")).hasValue("working");
  }

  @Test
  @DisplayName("A run of another executor is cancelled by that executor")
  void elsewhere() {
    follow.works.accepted(Follow.request("deploy", "r1", NONE));
    ManualProcesses.Hand build = follow.works.processes.awaitStart(1);
    follow.works.processes.plan("build.rollback", OK);
    TasksFeature other = new TasksFeature(follow.tasks, follow.works.executor("executor-2"));

    assertThat(requireNonNull(other.methods(Revision.V2026_07_28).get("tasks/cancel")).call(about("r1")).end())
        .isEqualTo("{}");
    assertThat(build.isStopped()).isFalse();
    follow.works.time.advance(Duration.ofSeconds(1));

    Await.until("it is cancelled", () -> get("r1").text("status").orElseThrow().equals("cancelled"));
    assertThat(build.isStopped()).isTrue();
  }

  @Test
  @DisplayName("Runs that are kept forever have tasks without a ttl")
  void forever() {
    follow.works.processes.plan("build", OK).plan("ship", OK);
    follow.works.accepted(Follow.request("deploy", "r1", NONE)).await();
    RunTasks kept = new RunTasks(follow.works.runs, follow.results, follow.works.time, Duration.ZERO);

    assertThat(kept.detailed("r1", about("r1")).orElseThrow().end()).contains("\"ttlMs\":null");
  }
}
