package fleet.tower.service.mcp.tool;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import fleet.tower.platform.json.JsonWriter;

@DisplayName("The members of HTTP's answers in results of tools")
class ToolMembersTest {

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
