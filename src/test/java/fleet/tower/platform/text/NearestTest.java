package fleet.tower.platform.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("Suggestions for mistyped names")
class NearestTest {
  @ParameterizedTest
  @CsvSource({"lokc, lock", "lcok, lock", "lockss, locks", "exi, exists", "hartbeat, heartbeat", "force, force-release",
      "why?, why", "heartbeat-now, heartbeat"})
  @DisplayName("The nearest name has the fewest edits, or the same beginning")
  void nearest(String typed, String meant) {
    List<String> names = List.of("lock", "locks", "heartbeat", "exists", "why", "force-release");
    assertThat(Nearest.of(typed, names)).hasValue(meant);
    assertThat(Nearest.of("frobnicate", names)).isEmpty();
    assertThat(Nearest.of("", names)).isEmpty();
  }

  @Test
  @DisplayName("Of many near names the three nearest are suggested, nearest first")
  void nearestOfMany() {
    List<String> names = List.of("deploy-apps-now", "reploy-apq", "deploy", "deploy-app", "deploy-aps", "deploy-app-2");

    assertThat(Nearest.all("deploy-ap", names)).containsExactly("deploy-app", "deploy-aps", "reploy-apq");
    assertThat(Nearest.all("deploy-", names)).startsWith("deploy");
    assertThat(Nearest.all("frobnicate", names)).isEmpty();
  }
}
