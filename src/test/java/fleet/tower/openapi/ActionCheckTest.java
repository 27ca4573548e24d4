package fleet.tower.openapi;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@DisplayName("The check of next actions")
class ActionCheckTest {
  private final Document document = new Document();

  @ParameterizedTest
  @DisplayName("An action that is incomplete, not permitted or unknown fails it")
  @CsvSource(quoteCharacter = '`', delimiter = '|', value = {
      "agent | it has no next action | ``",
      "agent | it has no next action | `[]`",
      "agent | there is no such call | `[{\"method\":\"GET\",\"href\":\"/lock/x\",\"why\":\"w\"}]`",
      "agent | of role agent may not | `[{\"method\":\"DELETE\",\"href\":\"/freezes/x\",\"why\":\"w\"}]`",
      "none | of role none may not | `[{\"method\":\"GET\",\"href\":\"/locks\",\"why\":\"w\"}]`",
      "agent | may not force | `[{\"method\":\"POST\",\"href\":\"/locks/x\",\"body\":{\"force_lock\":true},\"why\":\"w\"}]`",
      "agent | its body is missing | `[{\"method\":\"POST\",\"href\":\"/locks/x\",\"why\":\"w\"}]`",
      "agent | wait_second | `[{\"method\":\"POST\",\"href\":\"/locks/x\",\"body\":{\"wait_second\":1},\"why\":\"w\"}]`",
      "operator | 'reason' not found | `[{\"method\":\"POST\",\"href\":\"/locks/x/force-release\",\"body\":{},\"why\":\"w\"}]`",
      "agent | an incomplete command | `[{\"command\":\"tower run deploy … --wait 10m\",\"why\":\"w\"}]`",
      "agent | an incomplete command | `[{\"command\":\"tower run deploy -p NAME=VALUE\",\"why\":\"w\"}]`",
      "agent | an incomplete command | `[{\"why\":\"ask an operator to run: tower force-release x --reason TEXT (w)\"}]`",
      "agent | an action follows advice | `[{\"why\":\"w\"},{\"method\":\"GET\",\"href\":\"/locks\",\"why\":\"w\"}]`"})
  void fails(String role, String mistake, String actions) {
    assertThat(mistakes(actions == null || actions.isEmpty() ? "{}" : "{\"next_actions\":" + actions + "}", role))
        .anySatisfy(it -> assertThat(it).contains(mistake));
  }

  @ParameterizedTest
  @DisplayName("A complete and permitted action passes it")
  @CsvSource(quoteCharacter = '`', delimiter = '|', value = {
      "agent | `[{\"method\":\"POST\",\"href\":\"/locks/x\",\"body\":{\"wait_seconds\":600},\"command\":\"tower lock x\",\"why\":\"w\"}]`",
      "none | `[{\"method\":\"GET\",\"href\":\"/actuator/health\",\"why\":\"w\"},{\"why\":\"send a token\"}]`",
      "operator | `[{\"command\":\"tower run x --request-id NEW\",\"why\":\"w\"}]`"})
  void passes(String role, String actions) {
    assertThat(mistakes("{\"next_actions\":" + actions + "}", role)).isEmpty();
  }

  private List<String> mistakes(String problem, String role) {
    return new ActionCheck(document).mistakes(problem, role);
  }
}
