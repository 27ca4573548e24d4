package fleet.tower.answer;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import fleet.tower.lease.RequestId;
import fleet.tower.platform.ErrorCode;
import fleet.tower.task.Agent;
import fleet.tower.task.Task;
import fleet.tower.task.TaskCommand;
import fleet.tower.task.TaskEvent;
import fleet.tower.task.TaskId;
import fleet.tower.task.TaskOutcome;
import fleet.tower.task.TaskOutcome.Reason;
import fleet.tower.task.TaskSpec;
import fleet.tower.task.TaskStatus;

@DisplayName("Tasks as JSON and as text")
class TaskJsonTest {
  private static final Instant NOON = Instant.parse("2026-01-01T12:00:00Z");
  private static final TaskCommand.Call BOB = new TaskCommand.Call(new Agent("bob"), new RequestId("r"), null);
  private static final TaskCommand.Call ANN = new TaskCommand.Call(new Agent("ann"), new RequestId("r"), null);
  private static final TaskId ID = new TaskId("t");

  private static Task.View seen(TaskStatus status, Task.@Nullable Claim claim) {
    return new Task.View(new Task(ID, TaskSpec.of("work"), status, null, claim, 3,
        new Task.Origin(new Agent("maker"), NOON, 7)), NOON.plusSeconds(60));
  }

  private static Task.View held() {
    return seen(TaskStatus.IN_PROGRESS,
        new Task.Claim(new Agent("ann"), null, NOON, NOON.plusSeconds(300), NOON.plusSeconds(10), true));
  }

  @Test
  @DisplayName("VB-11 a task has the members of its claim if it has one, and always its attempt")
  void task() {
    assertThat(TaskJson.task(held().task()).end()).isEqualTo(
        "{\"id\":\"t\",\"title\":\"work\",\"description\":\"\",\"status\":\"in_progress\",\"priority\":0,\"depends_on\":[],"
            + "\"project\":null,\"claimed_by\":\"ann\",\"claimed_at\":\"2026-01-01T12:00:00Z\","
            + "\"claim_expires_at\":\"2026-01-01T12:05:00Z\",\"last_heartbeat_at\":\"2026-01-01T12:00:10Z\","
            + "\"claim_active\":true,\"attempt\":3,\"version\":7,\"created_by\":\"maker\","
            + "\"created_at\":\"2026-01-01T12:00:00Z\"}");
    TaskSpec spec = new TaskSpec("work", "d", 1, List.of(new TaskId("a")), "p", new Agent("ann"),
        new TaskSpec.Work("backup", "{\"n\":1}"));
    assertThat(TaskJson.task(new Task(ID, spec, TaskStatus.BLOCKED, "disk", null, 0,
        new Task.Origin(new Agent("maker"), NOON, 1))).end()).isEqualTo(
            "{\"id\":\"t\",\"title\":\"work\",\"description\":\"d\",\"status\":\"blocked\",\"blocked_reason\":\"disk\","
                + "\"priority\":1,\"depends_on\":[\"a\"],\"project\":\"p\",\"assigned_to\":\"ann\",\"intent\":\"backup\","
                + "\"params\":{\"n\":1},\"attempt\":0,\"version\":1,\"created_by\":\"maker\","
                + "\"created_at\":\"2026-01-01T12:00:00Z\"}");
  }

  @Test
  @DisplayName("VB-15 a result names the event and the attempt; a replay is marked, with the claim's current state")
  void done() {
    TaskEvent event = new TaskEvent(42, ID, TaskEvent.Kind.TASK_CLAIMED, ANN, new TaskEvent.About(ANN.agent(), 2), NOON,
        "{\"ttl_seconds\":300}");
    assertThat(TaskJson
        .done(new TaskOutcome.Done(held(), List.of(event), true, TaskOutcome.Standing.LOST)).end())
        .endsWith("},\"event_id\":42,\"claim_attempt\":2,\"replayed\":true,\"standing\":\"lost\"}");
    assertThat(TaskJson.event(event).end()).isEqualTo("{\"id\":42,\"kind\":\"task_claimed\",\"task_id\":\"t\","
        + "\"at\":\"2026-01-01T12:00:00Z\",\"agent\":\"ann\",\"request_id\":\"r\",\"owner\":\"ann\",\"attempt\":2,"
        + "\"detail\":{\"ttl_seconds\":300}}");
    assertThat(TaskJson.idle().end())
        .isEqualTo("{\"task\":null,\"event_id\":0,\"replayed\":false,\"standing\":\"none\"}");
    assertThat(TaskJson.swept(new TaskOutcome.Expired(List.of(event), false)).end())
        .isEqualTo("{\"released\":1,\"task_ids\":[\"t\"],\"event_ids\":[\"42\"],\"replayed\":false}".replace("\"42\"",
            "42"));
  }

  @Test
  @DisplayName("VB-16 VB-B10 a rejected claim has the owner, the expiry, the seconds to wait, and the next command")
  void contended() {
    TaskOutcome.Contended contended = new TaskOutcome.Contended(held());
    assertThat(TaskText.code(contended)).isEqualTo(ErrorCode.CLAIM_CONTENTION);
    assertThat(TaskText.message(contended))
        .isEqualTo("task t is claimed by ann until 2026-01-01T12:05:00Z (attempt 3)");
    assertThat(TaskJson.context(contended, BOB).end()).isEqualTo(
        "{\"task_id\":\"t\",\"task_status\":\"in_progress\",\"current_owner\":\"ann\","
            + "\"claim_expires_at\":\"2026-01-01T12:05:00Z\",\"attempt\":3,\"retry_after_seconds\":240,"
            + "\"requested_by\":\"bob\"}");
    assertThat(TaskRemedies.suggestion(contended, BOB))
        .isEqualTo("claim another task; or claim it after 2026-01-01T12:05:00Z");
  }

  @Test
  @DisplayName("VB-16 VB-B8 every rejection has a code, a sentence and the next step")
  void refusals() {
    List<TaskOutcome.Refusal> refusals = List.of(new TaskOutcome.IdTaken(held()),
        new TaskOutcome.MissingDependencies(List.of(ID)), new TaskOutcome.Unready(held(), List.of(ID)),
        new TaskOutcome.Finished(seen(TaskStatus.COMPLETED, null)), new TaskOutcome.Unknown(ID),
        new TaskOutcome.KeyReused(new RequestId("r"), "start", "{\"id\":\"t\"}", null));
    assertThat(refusals).extracting(TaskText::code).extracting(ErrorCode::code).containsExactly("task_exists",
        "unknown_dependency", "dependencies_open", "task_completed", "task_not_found", "idempotency_mismatch");
    assertThat(refusals).extracting(TaskText::message).containsExactly("task t already exists",
        "it depends on t, which does not exist", "task t depends on t, which is not completed", "task t is completed",
        "there is no task t", "request id r was used before, for start {\"id\":\"t\"}");
    assertThat(refusals).allSatisfy(refusal -> {
      assertThat(TaskRemedies.suggestion(refusal, BOB)).isNotBlank();
      assertThat(TaskText.retryAfterSeconds(refusal)).isEmpty();
      assertThat(TaskJson.context(refusal, BOB).end()).endsWith("\"requested_by\":\"bob\"}");
    });
  }

  @Test
  @DisplayName("VB-B3 an agent that is not the owner gets the reason")
  void notOwned() {
    assertThat(List.of(Reason.values()))
        .extracting(reason -> TaskText.message(new TaskOutcome.NotOwned(held(), reason)))
        .containsExactly("task t is not claimed; it is in_progress",
            "task t is no longer yours: your claim, attempt 3, expired 2026-01-01T12:05:00Z",
            "task t is claimed by ann until 2026-01-01T12:05:00Z (attempt 3)",
            "task t is claimed by ann until 2026-01-01T12:05:00Z (attempt 3), which is not the attempt that you gave");
    assertThat(TaskJson.context(new TaskOutcome.NotOwned(held(), Reason.OTHER_ATTEMPT), ANN).end())
        .contains("\"reason\":\"other_attempt\"");
  }
}
