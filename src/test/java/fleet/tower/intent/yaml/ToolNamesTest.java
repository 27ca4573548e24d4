package fleet.tower.intent.yaml;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.regex.Pattern;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import fleet.tower.intent.ToolName;
import fleet.tower.platform.yaml.Complaints;

@DisplayName("The names of intents as names of tools")
class ToolNamesTest {
  private static final Pattern TOOL = Pattern.compile("[a-z0-9_]{1,64}");

  private static List<String> messages(String name) {
    Complaints complaints = new Complaints(name + ".yaml");
    IntentReader.read("""
        apiVersion: tower-fleet/intent/v1
        kind: Intent
        metadata: { name: %s, version: 1 }
        spec: { mode: observe, steps: [{ name: s, run: [echo] }] }
        """.formatted(name), name, IntentFiles.schema(), complaints);
    return complaints.all().stream().map(it -> it.toString()).toList();
  }

  @Test
  @DisplayName("An intent cannot have the name of a fixed tool, written with hyphens")
  void fixed() {
    assertThat(messages("list-locks")).containsExactly("list-locks.yaml:3:19: 'list-locks' cannot be the name of an"
        + " intent, because agents have a fixed tool list_locks; choose another, such as 'list-locks-now', and rename"
        + " the file");
    assertThat(ToolName.FIXED).hasSize(21).allSatisfy(tool -> {
      assertThat(messages(tool.replace('_', '-'))).hasSize(1);
      assertThat(messages(tool.replace('_', '-') + "-now")).isEmpty();
    });
  }

  @ParameterizedTest
  @ValueSource(strings = {"a", "deploy-app", "a--b", "x-0",
      "x2345678901234567890123456789012345678901234567890123456789abcd"})
  @DisplayName("Every other intent has a tool of a valid length, from whose name the intent's follows")
  void distinct(String name) {
    assertThat(messages(name)).isEmpty();
    assertThat(ToolName.of(name)).matches(TOOL);
    assertThat(ToolName.of(name).replace('_', '-')).isEqualTo(name);
  }

  @ParameterizedTest
  @ValueSource(strings = {"deploy_app", "deploy.app",
      "x23456789012345678901234567890123456789012345678901234567890abcde"})
  @DisplayName("A name with another separator, or a longer name, is not the name of an intent")
  void invalid(String name) {
    assertThat(messages(name)).isNotEmpty();
  }
}
