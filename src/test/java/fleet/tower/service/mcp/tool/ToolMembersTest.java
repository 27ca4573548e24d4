package fleet.tower.service.mcp.tool;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import fleet.tower.platform.json.JsonWriter;

@DisplayName("The members of HTTP's answers in results of tools")
class ToolMembersTest {

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {
      "Wait for completion or use --force-lock if stale | wait for it",
      "Use --force-lock to acquire (stale lock will be logged) | wait for it",
      "Look at it; if the freeze is not wanted, use unfreeze | Look at it; wait for it",
      "Look at it; if it is not held, use force-release with a reason | Look at it; wait for it",
      "See `tower doctor` | wait for it",
      "see GET /locks | wait for it",
      "see who holds it with GET /locks/a; a lock that was granted is released with DELETE /locks/a | wait for it",
      "press Ctrl-C where it was started, or run `tower cancel r1` | wait for it",
      "try again in a moment, or with \"queue\": true, to start when there is room | wait for it",
      "stop the work, then: tower task start T-1 --agent ann | stop the work; wait for it",
      "stop working on it; look at it with tower mailbox dead | stop working on it; wait for it",
      "stop the work under this lock | stop the work under this lock",
      "call the tool with tower_wait_seconds | call the tool with tower_wait_seconds"})
  @DisplayName("A suggestion names no command, option or HTTP call; what else it says stays")
  void suggestions(String suggestion, String shown) {
    assertThat(ToolMembers.ofRefusal(JsonWriter.line().put("error", "e").put("suggestion", suggestion), "wait for it")
        .end()).isEqualTo(JsonWriter.line().put("error", "e").put("suggestion", shown).end());
  }

  @Test
  @DisplayName("Without a next action, a suggestion that only names a command is left out")
  void nothingToSuggest() {
    assertThat(ToolMembers.ofRefusal(JsonWriter.line().put("error", "e").put("suggestion", "see GET /runs"), "").end())
        .isEqualTo("{\"error\":\"e\"}");
  }

  @Test
  @DisplayName("Paths of the host are left out at any depth, but not from the metadata of a caller")
  void paths() {
    JsonWriter members = JsonWriter.line().put("lock_name", "a").put("lock_path", "/home/a.lock")
        .raw("frozen", "{\"problem\":\"p\",\"freeze_path\":\"/home/a.freeze\"}")
        .raw("locks", "[{\"lock_path\":\"/home/b.lock\",\"waiters\":0},1,null]")
        .raw("metadata", "{\"lock_path\":\"mine\"}");

    assertThat(ToolMembers.of(members).end()).isEqualTo("{\"lock_name\":\"a\",\"frozen\":{\"problem\":\"p\"},"
        + "\"locks\":[{\"waiters\":0},1,null],\"metadata\":{\"lock_path\":\"mine\"}}");
  }
}
