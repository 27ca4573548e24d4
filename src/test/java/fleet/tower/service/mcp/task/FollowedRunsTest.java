package fleet.tower.service.mcp.task;

import static fleet.tower.service.mcp.task.Follow.ANSWER_WITHIN;
import static fleet.tower.service.mcp.task.Follow.TASK_AFTER;
import static fleet.tower.service.mcp.task.Follow.structured;
import static fleet.tower.service.mcp.task.Follow.text;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.harness.Await;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.RequestId;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonValue;
import fleet.tower.run.ManualProcesses;
import fleet.tower.run.Processes;
import fleet.tower.run.RunStatus;
import fleet.tower.run.submit.IntentBuilder;
import fleet.tower.service.mcp.tool.ToolResult;
import fleet.tower.service.mcp.wire.ProtocolError;

class FollowedRunsTest {
  private static final Duration NONE = Duration.ZERO;
  private static final Duration LONG = Duration.ofMinutes(10);
  private final Follow follow;

  FollowedRunsTest(@TempDir Path directory) {
    follow = new Follow(directory);
    follow.works.with(
        IntentBuilder.mutate("deploy").lock("prod").step("build", "make").step("ship", "cp"),
        IntentBuilder.observe("look").step("see", "ls"));
  }

  @AfterEach
  void close() {
    follow.close();
  }

  private RunStatus status(String id) {
    return follow.works.runs.find(new RequestId(id)).orElseThrow().run().status();
  }

  private void awaitPlace() {
    follow.works.awaitWaiter("prod");
    Await.until("it knows its place",
        () -> follow.works.runs.find(new RequestId("r1")).orElseThrow().position().isPresent());
  }

  private void withdraw() {
    follow.works.runs.cancelWait(new RequestId("r1"));
    Await.until("the wait has ended", () -> status("r1") == RunStatus.CANCELLED);
  }

  private int waiters() {
    return follow.works.locks.waiters(new LeaseName("prod"));
  }

  @Test
  @DisplayName("A run that ends in time is the answer, with its record, its output, and no task")
  void ended() {
    RecordedExchange exchange = RecordedExchange.accepting("");
    CompletableFuture<ToolResult> call = follow.call(Follow.request("deploy", "r1", NONE), exchange);
    follow.works.processes.awaitStart(1).exit(0);
    ManualProcesses.Hand ship = follow.works.processes.awaitStart(2);
    ship.print("copied 3 files\n");
    ship.exit(0);

    ToolResult result = call.join();

    assertThat(Follow.isError(result)).isFalse();
    JsonObject structured = structured(result);
    assertThat(structured.text("outcome")).hasValue("succeeded");
    assertThat(structured.text("request_id")).hasValue("r1");
    assertThat(structured.objects("steps")).extracting(step -> step.text("output_tail").orElseThrow())
        .containsExactly("", "copied 3 files");
    assertThat(structured.get("next_actions")).isNull();
    assertThat(text(result)).isEqualTo("""
        Run r1 of deploy succeeded in 0.0s.

        Output of ship (all of it: tower://runs/r1/log):
        | copied 3 files""");
    assertThat(exchange.notes()).isEmpty();
    assertThat(follow.works.time.pendingDelays()).as("its timer is cancelled").doesNotContain(TASK_AFTER);
  }

  @Test
  @DisplayName("A client that accepts tasks gets one after task-after, whose id works at once, and the run continues")
  void task() {
    CompletableFuture<ToolResult> call = follow.call(Follow.request("deploy", "r1", NONE),
        RecordedExchange.accepting(""));
    ManualProcesses.Hand build = follow.works.processes.awaitStart(1);
    follow.awaitTimers(TASK_AFTER, 1);
    follow.works.time.advance(TASK_AFTER);

    assertThat(call.join()).isInstanceOfSatisfying(ToolResult.Begun.class,
        begun -> assertThat(begun.task().end()).isEqualTo("""
            {"taskId":"r1","status":"working","statusMessage":"step 1 of 2: build",\
            "createdAt":"2026-01-01T10:00:00Z","lastUpdatedAt":"2026-01-01T10:00:00Z","ttlMs":7776002000,\
            "pollIntervalMs":1000}"""));
    assertThat(follow.works.store.find(new RequestId("r1"))).as("recorded before it was a task").isPresent();

    build.exit(0);
    follow.works.processes.awaitStart(2).exit(0);
    Await.until("the run has ended", () -> status("r1") == RunStatus.SUCCEEDED);
  }

  @Test
  @DisplayName("Any other client is informed after answer-within that the run continues, and how to follow it")
  void answered() {
    for (RecordedExchange exchange : List.of(RecordedExchange.plain(), RecordedExchange.legacy())) {
      follow.works.time.advance(Duration.ofSeconds(1));
      String id = "r-" + exchange.request().revision();
      CompletableFuture<ToolResult> call = follow.call(Follow.request("look", id, NONE), exchange);
      follow.awaitTimers(ANSWER_WITHIN, 1);
      Await.until("the step runs",
          () -> !follow.works.runs.find(new RequestId(id)).orElseThrow().run().begun().isEmpty());
      follow.works.time.advance(ANSWER_WITHIN.minusMillis(1));
      assertThat(call.isDone()).isFalse();
      follow.works.time.advance(Duration.ofMillis(1));

      ToolResult result = call.join();

      assertThat(Follow.isError(result)).isFalse();
      JsonObject structured = structured(result);
      assertThat(structured.text("outcome")).hasValue("running");
      assertThat(structured.raw(requireNonNull(structured.get("next_actions")))).isEqualTo("""
          [{"tool":"wait_run","arguments":{"request_id":"%s"},"why":"wait for its end"},\
          {"tool":"cancel_run","arguments":{"request_id":"%s"},"why":"stop it and roll it back"}]"""
          .formatted(id, id));
      assertThat(text(result)).startsWith("Run " + id + " of look is running: step 1 of 1: see.")
          .contains("\nNext: wait for its end: wait_run {\"request_id\":\"" + id + "\"}");
    }
  }

  @Test
  @DisplayName("A run that still waits for its lock reports its place and who holds the lock")
  void waiting() {
    follow.works.hold("prod", "other");
    CompletableFuture<ToolResult> call = follow.call(Follow.request("deploy", "r1", LONG), RecordedExchange.plain());
    awaitPlace();
    follow.awaitTimers(ANSWER_WITHIN, 1);
    follow.works.time.advance(ANSWER_WITHIN);

    ToolResult result = call.join();

    JsonObject structured = structured(result);
    assertThat(structured.text("outcome")).hasValue("waiting");
    assertThat(structured.integer("position")).hasValue(1);
    assertThat(structured.object("held_by").orElseThrow().text("actor")).hasValue("bob");
    assertThat(structured.integer("retry_after_seconds")).hasValue(60);
    assertThat(structured.objects("next_actions")).extracting(action -> action.text("tool").orElseThrow())
        .containsExactly("wait_run", "get_run", "cancel_run");
    assertThat(text(result))
        .startsWith("Run r1 of deploy has not begun: 1st in line for prod, held by bob on tower-02")
        .contains(". The lock may be free in about 60 s.\nNext: ");
    assertThat(status("r1")).isEqualTo(RunStatus.WAITING);
    withdraw();
  }

  @Test
  @DisplayName("Progress: each boundary at once; between two, at most two a second, with a growing number and a line")
  void progress() {
    RecordedExchange exchange = RecordedExchange.wantingProgress();
    CompletableFuture<ToolResult> call = follow.call(Follow.request("deploy", "r1", NONE), exchange);
    ManualProcesses.Hand build = follow.works.processes.awaitStart(1);
    Duration half = Duration.ofMillis(500);
    Await.until("the first note", () -> exchange.notes().size() == 1);
    follow.awaitTimers(half, 1);

    for (int i = 1; i < 50; i++) {
      build.print("compiling " + i + "\n");
    }
    build.print("compiling \u001b[31m50\u001b[0m of 50 " + "x".repeat(300) + "\n");
    follow.works.time.advance(half);
    Await.until("the second note", () -> exchange.notes().size() == 2);
    build.exit(0);
    ManualProcesses.Hand ship = follow.works.processes.awaitStart(2);
    Await.until("the third note", () -> exchange.notes().size() == 3);
    ship.exit(0);
    call.join();

    assertThat(exchange.notes()).hasSize(4).allSatisfy(
        note -> assertThat(note.text("method")).hasValue("notifications/progress"));
    assertThat(exchange.params()).extracting(params -> params.text("progressToken").orElseThrow())
        .containsOnly("p-1");
    assertThat(exchange.params()).extracting(params -> params.integer("total").orElseThrow()).containsOnly(2L);
    assertThat(exchange.params()).extracting(FollowedRunsTest::number).containsExactly(0.0, 0.5, 1.0, 2.0);
    List<String> messages = messages(exchange);
    assertThat(messages.getFirst()).isEqualTo("step 1 of 2: build");
    assertThat(messages.get(1)).startsWith("step 1 of 2: build: compiling 50 of 50 xxx").hasSize(200).endsWith("x…");
    assertThat(messages.get(2)).isEqualTo("step 2 of 2: ship");
    assertThat(messages.getLast()).isEqualTo("succeeded in 0.5s");
  }

  private static List<String> messages(RecordedExchange exchange) {
    return exchange.params().stream().map(params -> params.text("message").orElseThrow()).toList();
  }

  @Test
  @DisplayName("A call that comes late reports the boundaries before it, and one that comes after the end all of them")
  void progressOfLateCalls() {
    CompletableFuture<ToolResult> first = follow.call(Follow.request("deploy", "r1", NONE), RecordedExchange.plain());
    follow.works.processes.awaitStart(1).exit(0);
    ManualProcesses.Hand ship = follow.works.processes.awaitStart(2);
    RecordedExchange late = RecordedExchange.wantingProgress();
    CompletableFuture<ToolResult> second = follow.call(Follow.request("deploy", "r1", NONE), late);
    Await.until("it has reported both steps", () -> late.notes().size() == 2);
    ship.exit(0);
    first.join();
    second.join();
    RecordedExchange after = RecordedExchange.wantingProgress();
    follow.call(Follow.request("deploy", "r1", NONE), after).join();

    assertThat(List.of(late, after)).allSatisfy(exchange -> {
      assertThat(messages(exchange)).containsExactly("step 1 of 2: build", "step 2 of 2: ship", "succeeded in 0.0s");
      assertThat(exchange.params()).extracting(FollowedRunsTest::number).containsExactly(0.0, 1.0, 2.0);
    });
  }

  @Test
  @DisplayName("Progress of a run that fails: the boundaries of its rollback too, and never as many steps as it has")
  void progressOfFailure() {
    follow.works.with(IntentBuilder.mutate("deploy").lock("prod").step("build", "make").step("ship", "cp")
        .rollback("clean").rollback("tell"));
    RecordedExchange exchange = RecordedExchange.wantingProgress();
    CompletableFuture<ToolResult> call = follow.call(Follow.request("deploy", "r1", NONE), exchange);
    follow.works.processes.awaitStart(1).exit(0);
    follow.works.processes.awaitStart(2).exit(3);
    follow.works.processes.awaitStart(3).exit(0);
    follow.works.processes.awaitStart(4).exit(0);
    call.join();

    assertThat(messages(exchange)).containsExactly("step 1 of 2: build", "step 2 of 2: ship", "rolling back: clean",
        "rolling back: tell", "failed at step ship with exit code 3 after 0.0s");
    assertThat(exchange.params()).extracting(FollowedRunsTest::number).startsWith(0.0, 1.0).isSorted()
        .doesNotHaveDuplicates().allSatisfy(number -> assertThat(number).isLessThan(2));
  }

  private static double number(JsonObject params) {
    if (params.get("progress") instanceof JsonValue.Numeral number) {
      return Double.parseDouble(number.literal());
    }
    throw new AssertionError("no number: " + params.raw());
  }

  @Test
  @DisplayName("Progress of a wait: the place in line")
  void progressOfWait() {
    follow.works.hold("prod", "other");
    RecordedExchange exchange = RecordedExchange.wantingProgress();
    CompletableFuture<ToolResult> call = follow.call(Follow.request("deploy", "r1", LONG), exchange);
    awaitPlace();
    follow.awaitTimers(Duration.ofMillis(500), 1);
    follow.works.time.advance(Duration.ofSeconds(1));
    Await.until("a note names the holder", () -> exchange.params().stream()
        .anyMatch(it -> it.text("message").orElseThrow().startsWith("1st in line for prod, held by bob")));
    exchange.cancellation().cancel();
    call.join();
    Await.until("the wait has ended", () -> status("r1") == RunStatus.CANCELLED);
  }

  @Test
  @DisplayName("A client that disconnects withdraws its wait: nothing runs")
  void goneWhileWaiting() {
    follow.works.hold("prod", "other");
    RecordedExchange exchange = RecordedExchange.plain();
    CompletableFuture<ToolResult> call = follow.call(Follow.request("deploy", "r1", LONG), exchange);
    follow.works.awaitWaiter("prod");

    exchange.cancellation().cancel();
    call.join();

    Await.until("the wait has ended", () -> status("r1") == RunStatus.CANCELLED);
    assertThat(waiters()).isZero();
    assertThat(follow.works.processes.events()).isEmpty();
  }

  @Test
  @DisplayName("A client that disconnects does not end a change that has started, even if its run had waited")
  void goneWhileChanging() {
    follow.works.hold("prod", "other");
    RecordedExchange exchange = RecordedExchange.plain();
    CompletableFuture<ToolResult> call = follow.call(Follow.request("deploy", "r1", LONG), exchange);
    follow.works.awaitWaiter("prod");
    follow.works.delete("prod");
    follow.works.time.advance(Duration.ofSeconds(5));
    ManualProcesses.Hand build = follow.works.processes.awaitStart(1);

    exchange.cancellation().cancel();

    assertThat(structured(call.join()).text("outcome")).hasValue("running");
    build.exit(0);
    follow.works.processes.awaitStart(2).exit(0);
    Await.until("it has ended", () -> status("r1") == RunStatus.SUCCEEDED);
    assertThat(build.isStopped()).isFalse();
  }

  @Test
  @DisplayName("A client that disconnects ends a run that changes nothing")
  void goneWhileLooking() {
    RecordedExchange exchange = RecordedExchange.plain();
    CompletableFuture<ToolResult> call = follow.call(Follow.request("look", "r1", NONE), exchange);
    ManualProcesses.Hand see = follow.works.processes.awaitStart(1);

    exchange.cancellation().cancel();
    call.join();

    Await.until("it was cancelled", () -> status("r1") == RunStatus.CANCELLED);
    assertThat(see.isStopped()).isTrue();
  }

  @Test
  @DisplayName("A client that disconnected before its call is followed is treated the same")
  void goneBefore() {
    follow.works.hold("prod", "other");
    RecordedExchange exchange = RecordedExchange.plain();
    exchange.cancellation().cancel();
    follow.call(Follow.request("deploy", "r1", LONG), exchange).join();
    Await.until("the wait has ended", () -> status("r1") == RunStatus.CANCELLED);
  }

  @Test
  @DisplayName("A call that was repeated after a lost connection keeps the wait; the last client to leave withdraws it")
  void goneOfTwo() {
    follow.works.hold("prod", "other");
    RecordedExchange first = RecordedExchange.plain();
    RecordedExchange second = RecordedExchange.plain();
    CompletableFuture<ToolResult> lost = follow.call(Follow.request("deploy", "r1", LONG), first);
    follow.works.awaitWaiter("prod");
    follow.awaitTimers(ANSWER_WITHIN, 1);
    CompletableFuture<ToolResult> repeated = follow.call(Follow.request("deploy", "r1", LONG), second);
    follow.awaitTimers(ANSWER_WITHIN, 2);

    first.cancellation().cancel();
    lost.join();
    assertThat(status("r1")).isEqualTo(RunStatus.WAITING);
    assertThat(waiters()).isOne();

    second.cancellation().cancel();
    repeated.join();
    Await.until("the wait has ended", () -> status("r1") == RunStatus.CANCELLED);
  }

  @Test
  @DisplayName("A wait that was reported to a client is not withdrawn by another client that leaves")
  void toldBefore() {
    follow.works.hold("prod", "other");
    CompletableFuture<ToolResult> told = follow.call(Follow.request("deploy", "r1", LONG), RecordedExchange.plain());
    follow.works.awaitWaiter("prod");
    follow.awaitTimers(ANSWER_WITHIN, 1);
    follow.works.time.advance(Duration.ofSeconds(44));
    RecordedExchange second = RecordedExchange.plain();
    CompletableFuture<ToolResult> repeated = follow.call(Follow.request("deploy", "r1", LONG), second);
    follow.awaitTimers(ANSWER_WITHIN, 1);
    follow.works.time.advance(Duration.ofSeconds(1));
    told.join();

    second.cancellation().cancel();
    assertThat(structured(repeated.join()).text("outcome")).hasValue("waiting");

    assertThat(status("r1")).isEqualTo(RunStatus.WAITING);
    assertThat(waiters()).isOne();
    withdraw();
  }

  @Test
  @DisplayName("A revoked token gets no result, and its wait is withdrawn")
  void revoked() {
    follow.works.hold("prod", "other");
    AtomicBoolean isValid = new AtomicBoolean(true);
    RecordedExchange exchange = RecordedExchange.plain();
    RecordedExchange revoked = exchange.by(exchange.caller().with(isValid::get));
    CompletableFuture<ToolResult> call = follow.call(Follow.request("deploy", "r1", LONG), revoked);
    follow.works.awaitWaiter("prod");

    isValid.set(false);
    exchange.cancellation().cancel();

    assertThatThrownBy(call::join).isInstanceOf(CompletionException.class)
        .hasCauseInstanceOf(ProtocolError.class).hasMessageContaining("revoked");
    Await.until("the wait has ended", () -> status("r1") == RunStatus.CANCELLED);
  }

  @Test
  @DisplayName("A run of another process is followed by reading its record")
  void elsewhere() {
    follow.works.with(IntentBuilder.mutate("quick").step("one", "true"));
    follow.works.processes.plan("one", new Processes.Exited(0));
    follow.works.accepted(Follow.request("quick", "r1", NONE)).await();
    FollowedRuns other = follow.followed(follow.works.executor("executor-2"), follow.works.time);

    ToolResult result = other.follow(follow.works.executor("executor-2").find(new RequestId("r1")).orElseThrow(), true,
        0, RecordedExchange.plain());

    assertThat(structured(result).text("outcome")).hasValue("succeeded");
    assertThat(structured(result).raw(requireNonNull(structured(result).get("replayed")))).isEqualTo("true");
  }

  @Test
  @DisplayName("200 concurrent calls with one id are one run, and all have its result")
  void oneId() {
    List<CompletableFuture<ToolResult>> calls = IntStream.range(0, 200)
        .mapToObj(_ -> follow.call(Follow.request("deploy", "r1", LONG), RecordedExchange.wantingProgress())).toList();
    follow.awaitTimers(ANSWER_WITHIN, 200);
    follow.works.processes.awaitStart(1).exit(0);
    follow.works.processes.awaitStart(2).exit(0);

    List<JsonObject> results = calls.stream().map(CompletableFuture::join).map(Follow::structured).toList();

    assertThat(results).allSatisfy(result -> assertThat(result.text("outcome")).hasValue("succeeded"));
    assertThat(results.stream().filter(result -> result.get("replayed") == null)).hasSize(1);
    assertThat(follow.works.processes.events()).containsExactly("start build", "end build", "start ship", "end ship");
  }
}
