package fleet.tower.service.mcp.tool;

import static fleet.tower.service.mcp.tool.FixedTools.ANN;
import static fleet.tower.service.mcp.tool.FixedTools.BOB;
import static fleet.tower.service.mcp.tool.FixedTools.VIC;
import static fleet.tower.service.mcp.tool.FixedTools.actions;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.lease.RequestId;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.service.mcp.tool.ToolsHome.Called;
import fleet.tower.task.Agent;
import fleet.tower.task.TaskCommand;
import fleet.tower.task.TaskId;
import fleet.tower.task.TaskSpec;

@DisplayName("The tools about tasks, on files")
class TaskToolsTest {
  @AutoClose
  private final FixedTools tools;

  TaskToolsTest(@TempDir Path root) {
    tools = new FixedTools(ToolsHome.withSamples(root));
  }

  private void create(String id) {
    tools.home.tasks().perform(new TaskCommand.Call(new Agent("olga"), new RequestId("create-" + id), null),
        new TaskCommand.Create(new TaskId(id),
            new TaskSpec("Write " + id, "All of it", 0, List.of(), null, null, null)));
  }

  private static JsonObject task(JsonObject result) {
    return result.object("task").orElseThrow();
  }

  @Test
  @DisplayName("Agents see them, but viewers do not")
  void listed() {
    assertThat(tools.names(ANN)).containsSubsequence("claim_task", "renew_task", "close_task");
    assertThat(tools.names(VIC)).doesNotContain("claim_task", "renew_task", "close_task");
  }

  @Test
  @DisplayName("A task is claimed once per request id, by the agent of the caller's name, renewed and done")
  void claimed() {
    create("t1");
    create("t2");
    Called first = tools.call("claim_task", "{\"request_id\":\"c1\",\"ttl_seconds\":60}");
    assertThat(task(first.structured()).text("claimed_by")).hasValue("ann");
    assertThat(first.text()).startsWith("task t1 is claimed by ann until ").contains("Write t1", "All of it");
    assertThat(first.structured().raw()).doesNotContain("schema_version").contains("\"request_id\":\"c1\"",
        "\"replayed\":false");
    JsonObject again = tools.done(ANN, "claim_task", "{\"request_id\":\"c1\",\"ttl_seconds\":60}");
    assertThat(task(again).text("id")).hasValue("t1");
    assertThat(again.raw()).contains("\"replayed\":true");

    tools.done(ANN, "renew_task", "{\"task_id\":\"t1\",\"attempt\":1}");
    String close = "{\"task_id\":\"t1\",\"outcome\":\"done\",\"request_id\":\"c2\"}";
    assertThat(task(tools.done(ANN, "close_task", close)).text("status")).hasValue("completed");
    assertThat(tools.done(ANN, "close_task", close).raw()).contains("\"replayed\":true");
    assertThat(tools.call("renew_task", "{\"task_id\":\"t1\"}").error()).isNotEqualTo("none");
  }

  @Test
  @DisplayName("A caller that sends no request id gets a new one each time, which is in the answer")
  void newId() {
    create("t1");
    create("t2");
    JsonObject first = tools.done(ANN, "claim_task", "{}");
    JsonObject second = tools.done(ANN, "claim_task", "{}");
    assertThat(task(first).text("id")).hasValue("t1");
    assertThat(task(second).text("id")).hasValue("t2");
    assertThat(first.text("request_id")).isNotEqualTo(second.text("request_id")).isPresent();
    assertThat(tools.call("claim_task", "{}").text()).startsWith("no task is available now");
  }

  @Test
  @DisplayName("One task is claimed by its id; a claim of another agent is refused with what to do next")
  void contended() {
    create("t1");
    create("t2");
    assertThat(task(tools.done(ANN, "claim_task", "{\"task_id\":\"t2\",\"agent\":\"Builder-1\"}")).text("claimed_by"))
        .hasValue("builder-1");
    Called refused = tools.call(BOB, "claim_task", "{\"task_id\":\"t2\"}");
    assertThat(refused.error()).isEqualTo("claim_contention");
    assertThat(refused.structured().text("current_owner")).hasValue("builder-1");
    assertThat(actions(refused)).containsExactly("claim_task {\"agent\":\"bob\"}",
        "claim_task {\"agent\":\"bob\",\"task_id\":\"t2\"}");
    assertThat(refused.structured().integer("retry_after_seconds")).isPresent();
    assertThat(task(tools.perform(BOB, refused.actions().getFirst()).structured()).text("id")).hasValue("t1");

    assertThat(tools.call("renew_task", "{\"task_id\":\"t2\"}").error()).isEqualTo("claim_not_owned");
    assertThat(tools.call("renew_task", "{\"task_id\":\"t9\"}").error()).isEqualTo("task_not_found");
  }

  @Test
  @DisplayName("A task is blocked with a reason, or released for others")
  void ended() {
    create("t1");
    create("t2");
    tools.done(ANN, "claim_task", "{\"task_id\":\"t1\"}");
    tools.done(ANN, "claim_task", "{\"task_id\":\"t2\"}");
    JsonObject blocked = tools.done(ANN, "close_task",
        "{\"task_id\":\"t1\",\"outcome\":\"blocked\",\"reason\":\"no access\"}");
    assertThat(task(blocked).text("blocked_reason")).hasValue("no access");
    JsonObject released = tools.done(ANN, "close_task", "{\"task_id\":\"t2\",\"outcome\":\"release\"}");
    assertThat(task(released).text("status")).hasValue("pending");
    assertThat(task(tools.done(BOB, "claim_task", "{}")).text("id")).hasValue("t2");
  }

  @Test
  @DisplayName("Arguments that would be ignored are refused, and unknown outcomes corrected")
  void invalid() {
    create("t1");
    assertThat(tools.call("claim_task", "{\"task_id\":\"t1\",\"project\":\"p\"}").text())
        .contains("'project' has no meaning with task_id");
    assertThat(tools.call("claim_task", "{\"ttl_seconds\":0}").text()).contains("from 1 to 604800");
    assertThat(
        tools.call("close_task", "{\"task_id\":\"t1\",\"outcome\":\"release\",\"reason\":\"r\"}").text())
        .contains("'reason' has no meaning with outcome release");
    Called near = tools.call("close_task", "{\"task_id\":\"t1\",\"outcome\":\"Done\"}");
    assertThat(near.error()).isEqualTo("invalid_params");
    assertThat(actions(near)).containsExactly("close_task {\"task_id\":\"t1\",\"outcome\":\"done\"}");
    Called reused = tools.call("claim_task", "{\"request_id\":\"c1\"}");
    assertThat(reused.outcome()).isEqualTo("done");
    Called other = tools.call("close_task", "{\"task_id\":\"t1\",\"outcome\":\"done\",\"request_id\":\"c1\"}");
    assertThat(other.error()).isEqualTo("idempotency_mismatch");
    assertThat(actions(other)).containsExactly("close_task {\"task_id\":\"t1\",\"outcome\":\"done\"}");
  }
}
