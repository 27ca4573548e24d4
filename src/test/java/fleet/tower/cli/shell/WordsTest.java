package fleet.tower.cli.shell;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import fleet.tower.platform.Exit;
import fleet.tower.platform.text.Nearest;

/** Tests of time spans, exit codes and suggestions for mistyped names. */
class WordsTest {

  @ParameterizedTest
  @CsvSource({"0, PT0S", "90, PT90S", "500ms, PT0.5S", "90s, PT90S", "15m, PT15M", "8h, PT8H", "2d, PT48H",
      "999999999d, PT23999999976H"})
  @DisplayName("A time span is a number with a unit; without a unit it is in seconds")
  void durations(String text, Duration duration) {
    assertThat(Durations.parse(text)).hasValue(duration);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "m", "-1", "+1", "1.5h", "1h30m", "1 h", "1H", "1e3", "1000000000", "５", "1w", "ms",
      "0x1"})
  @DisplayName("Any other text is rejected")
  void noDurations(String text) {
    assertThat(Durations.parse(text)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"PT-5S, 0s", "PT0.9S, 0s", "PT59S, 59s", "PT60S, 1m", "PT3599S, 59m 59s", "PT3600S, 1h",
      "PT86399S, 23h 59m", "PT86400S, 1d", "PT100H, 4d 4h"})
  @DisplayName("A time span is shown in its two largest units")
  void formatted(Duration duration, String text) {
    assertThat(Durations.format(duration)).isEqualTo(text);
  }

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

  @Test
  @DisplayName("TF-A23 the exit codes are the documented ones")
  void exits() {
    assertThat(Stream.of(Exit.DONE, Exit.FAILED, Exit.HELD, Exit.NOT_FOUND, Exit.NOT_OWNER, Exit.STALE, Exit.LOST,
        Exit.USAGE, Exit.UNAVAILABLE)).extracting(Exit::code).containsExactly(0, 1, 2, 3, 4, 5, 6, 64, 69);
  }
}
