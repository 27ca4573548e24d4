package fleet.tower.service.mcp.task;

import static fleet.tower.service.mcp.task.Follow.structured;
import static fleet.tower.service.mcp.task.Follow.text;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import fleet.tower.harness.Await;
import fleet.tower.lease.RequestId;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.run.ManualProcesses;
import fleet.tower.run.Processes;
import fleet.tower.run.Run;
import fleet.tower.run.RunStatus;
import fleet.tower.run.execute.RunHandle;
import fleet.tower.run.submit.IntentBuilder;
import fleet.tower.service.mcp.tool.ToolResult;

class RunResultsTest {
  private static final Processes.Exit OK = new Processes.Exited(0);
  private static final Duration NONE = Duration.ZERO;
  private final Follow follow;

  RunResultsTest(@TempDir Path directory) {
    follow = new Follow(directory);
    follow.works.with(IntentBuilder.mutate("deploy").lock("prod").undoable("build").undoable("ship"));
  }

  @AfterEach
  void close() {
    follow.close();
  }

  private ToolResult requested(RunHandle handle, boolean replayed) {
    return follow.results.requested(handle.run(), handle, replayed, RecordedExchange.plain());
  }

  @Test
  @DisplayName("A failed run is an error that has its record, the end of its output, and whether it was undone")
  void failed() {
    RunHandle handle = follow.works.accepted(Follow.request("deploy", "r1", NONE));
    follow.works.processes.awaitStart(1).exit(0);
    ManualProcesses.Hand ship = follow.works.processes.awaitStart(2);
    ship.print("\u001b]0;title\u0007first\r\n" + "y".repeat(3000) + "\nno space \u202eleft\u0000\n");
    follow.works.processes.plan("ship.rollback", OK).plan("build.rollback", new Processes.Exited(1));
    ship.exit(28);
    handle.await();

    ToolResult result = requested(handle, false);

    assertThat(Follow.isError(result)).isTrue();
    JsonObject structured = structured(result);
    assertThat(structured.text("outcome")).hasValue("failed");
    assertThat(structured.text("failure_step")).hasValue("ship");
    assertThat(structured.text("log")).hasValue("tower://runs/r1/log");
    assertThat(structured.objects("steps").get(1).text("output_tail").orElseThrow())
        .startsWith("…yyy").endsWith("y\nno space left").hasSize(2000);
    assertThat(text(result)).startsWith("Run r1 of deploy failed at step ship with exit code 28 after 0.0s. "
        + "Its rollback is incomplete: build failed.\n\nOutput of ship (all of it: tower://runs/r1/log):\n| …yyy")
        .contains("no space left")
        .endsWith("\nNext: read all of its output: resource tower://runs/r1/log");
  }

  @Test
  @DisplayName("Results stay small however many steps a run has and however much they print")
  void bounded() {
    IntentBuilder many = IntentBuilder.mutate("many");
    for (int i = 0; i < 30; i++) {
      many.step("step-" + i, "true");
    }
    follow.works.with(many);
    RunHandle handle = follow.works.accepted(Follow.request("many", "r1", NONE));
    for (int i = 1; i <= 30; i++) {
      ManualProcesses.Hand step = follow.works.processes.awaitStart(i);
      step.print("x".repeat(4000) + "\n");
      step.exit(0);
    }
    handle.await();

    ToolResult result = requested(handle, true);

    assertThat(structured(result).raw().length()).isLessThan(20_000);
    assertThat(text(result).length()).isLessThan(2_500);
    assertThat(structured(result).objects("steps").getFirst().text("output_tail").orElseThrow()).hasSize(300);
    assertThat(structured(result).get("replayed")).isNotNull();
  }

  @Test
  @DisplayName("A request that waited without success is a refusal, and its repetition is offered only where the "
      + "request is known")
  void refused() {
    follow.works.hold("prod", "other");
    RunHandle handle = follow.works.accepted(Follow.request("deploy", "r1", Duration.ofSeconds(10)));
    follow.works.awaitWaiter("prod");
    follow.works.time.advance(Duration.ofSeconds(11));
    Await.until("it was refused", () -> handle.run().status() == RunStatus.REFUSED);

    ToolResult requested = requested(handle, false);
    ToolResult awaited = follow.results.awaited(handle.run(), handle, RecordedExchange.plain());

    assertThat(Follow.isError(requested)).isTrue();
    JsonObject structured = structured(requested);
    assertThat(structured.text("outcome")).hasValue("refused");
    assertThat(structured.text("error")).hasValue("lock_wait_timeout");
    assertThat(structured.text("suggestion")).isPresent();
    assertThat(structured.text("request_id")).hasValue("r1");
    assertThat(text(requested)).startsWith("Run r1 of deploy was refused after it had waited, because lock prod was"
        + " not free in time, held by bob (intent manual, request other). None of its steps has run."
        + "\nNext: wait longer: ");
    assertThat(structured.objects("next_actions").getFirst().text("command").orElseThrow()).startsWith("repeat");
    assertThat(structured(awaited).objects("next_actions")).allSatisfy(
        action -> assertThat(action.text("command").orElse("")).doesNotStartWith("repeat"));
  }

  @Test
  @DisplayName("A request that met a stale lock after its wait gets a suggestion without a command")
  void stale() {
    follow.works.hold("prod", "other");
    RunHandle handle = follow.works.accepted(Follow.request("deploy", "r1", Duration.ofHours(1)));
    follow.works.awaitWaiter("prod");
    follow.works.time.advance(Duration.ofSeconds(901));
    Await.until("it was refused", () -> handle.run().status() == RunStatus.REFUSED);

    JsonObject structured = structured(requested(handle, false));

    assertThat(structured.text("error")).hasValue("lock_stale");
    assertThat(structured.text("suggestion")).hasValue("Ask an operator to take it, if its holder is really gone");
  }

  @Test
  @DisplayName("A run that waits for a frozen lock has an estimate; one that runs has none")
  void estimated() {
    follow.works.freeze("prod");
    RunHandle handle = follow.works.accepted(Follow.request("deploy", "r1", Duration.ofHours(1)));
    Await.until("it knows its place", () -> handle.position().isPresent());
    assertThat(structured(requested(handle, false)).integer("retry_after_seconds")).hasValue(60);
    follow.works.awaitWaiter("prod");
    follow.works.time.advance(Duration.ofSeconds(1781));
    assertThat(structured(requested(handle, false)).integer("retry_after_seconds")).hasValue(19);

    follow.works.awaitWaiter("prod");
    follow.works.time.advance(Duration.ofSeconds(20));
    follow.works.processes.awaitStart(1);
    ToolResult running = requested(handle, false);
    assertThat(structured(running).text("outcome")).hasValue("running");
    assertThat(structured(running).get("retry_after_seconds")).isNull();
    assertThat(text(running)).doesNotContain("may be free");
    follow.works.processes.plan("build.rollback", OK);
    follow.works.runs.cancel(new RequestId("r1"));
    handle.await();
  }

  @Test
  @DisplayName("A run that was cancelled before it began may be requested again, with another id")
  void withdrawn() {
    follow.works.hold("prod", "other");
    RunHandle handle = follow.works.accepted(Follow.request("deploy", "r1", Duration.ofSeconds(10)));
    follow.works.awaitWaiter("prod");
    follow.works.runs.cancelWait(new RequestId("r1"));
    Await.until("it was cancelled", () -> handle.run().status() == RunStatus.CANCELLED);

    ToolResult result = requested(handle, false);

    assertThat(structured(result).text("outcome")).hasValue("cancelled");
    assertThat(Follow.isError(result)).isTrue();
    assertThat(text(result))
        .startsWith("Run r1 of deploy was cancelled before its first step. None of its steps has run.")
        .contains("Next: request it again: repeat [NewId[]]");
    assertThat(Follow.isError(follow.results.shown(handle.run(), handle, RecordedExchange.plain()))).isFalse();
  }

  @Test
  @DisplayName("Ending waits affects neither a wait that is over nor a run of another executor")
  void notWaiting() {
    RunHandle handle = follow.works.accepted(Follow.request("deploy", "r1", NONE));
    ManualProcesses.Hand build = follow.works.processes.awaitStart(1);

    follow.works.runs.cancelWait(new RequestId("r1"));
    follow.works.executor("executor-2").cancelWait(new RequestId("r1"));
    follow.works.runs.cancelWait(new RequestId("r2"));
    build.exit(0);
    follow.works.processes.awaitStart(2).exit(0);

    assertThat(handle.await().status()).isEqualTo(RunStatus.SUCCEEDED);
  }

  @ParameterizedTest
  @CsvSource({"TIMED_OUT,failed", "LOCK_LOST,failed", "INTERRUPTED,interrupted", "CANCELLED,cancelled",
      "FAILED,failed"})
  @DisplayName("Every run that did not succeed is an error, with an outcome and its status")
  void outcomes(RunStatus status, String outcome) {
    follow.works.processes.plan("build", OK).plan("ship", OK);
    RunHandle handle = follow.works.accepted(Follow.request("deploy", "r1", NONE));
    Run run = handle.await().finished(status, follow.works.time.now());

    ToolResult result = follow.results.awaited(run, handle, RecordedExchange.plain());

    assertThat(Follow.isError(result)).isTrue();
    assertThat(structured(result).text("outcome")).hasValue(outcome);
    assertThat(structured(result).text("status")).hasValue(status.toString());
  }

  @Test
  @DisplayName("Places in line are ordinal numbers")
  void ordinals() {
    assertThat(List.of(1, 2, 3, 4, 11, 12, 13, 21, 22, 101, 111, 112).stream().map(RunTaskText::ordinal))
        .containsExactly(
            "1st", "2nd", "3rd", "4th", "11th", "12th", "13th", "21st", "22nd", "101st", "111th", "112th");
  }

  @Test
  @DisplayName("Excerpts keep whole characters and no control characters")
  void excerpts() {
    assertThat(Excerpt.line("a\u0000\n b\u001b[31mc\u001b[0m\u202e", 10)).isEqualTo("a bc");
    assertThat(Excerpt.line("x".repeat(7) + "\ud83d\ude80yy", 9)).isEqualTo("x".repeat(7) + "\ud83d\ude80…");
    assertThat(Excerpt.end("a\ud83d\ude80" + "x".repeat(7), 9)).isEqualTo("…" + "x".repeat(7));
    assertThat(Excerpt.lastLine("one\r\ntwo\r\n \n")).isEqualTo("two");
    assertThat(Excerpt.lastLine("")).isEmpty();
    assertThat(Excerpt.end("\ud83d\ude80 ok", 9)).isEqualTo("\ud83d\ude80 ok");
  }
}
