package fleet.tower.platform.time;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("Time spans as people write and read them")
class TimeSpansTest {
  @ParameterizedTest
  @CsvSource({"90, 90000", "0, 0", "500ms, 500", "90s, 90000", "15m, 900000", "1h, 3600000", "2d, 172800000",
      "8h, 28800000", "999999999d, 86399999913600000", "PT15M, 900000", "PT0.5S, 500", "P2D, 172800000"})
  @DisplayName("A plain number is seconds, others have a unit; ISO 8601 is accepted too")
  void reads(String text, long millis) {
    assertThat(TimeSpans.parse(text)).hasValue(Duration.ofMillis(millis));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " 90", "-1", "+1", "-PT1S", "PT-1S", "1.5s", "1h30m", "90S", "90 s", "10us", "1w", "P",
      "PT", "1234567890", "1000000000", "pt15m", "٣s", "５", "m", "ms", "1.5h", "1 h", "1H", "1e3", "0x1"})
  @DisplayName("Anything else is rejected")
  void refuses(String text) {
    assertThat(TimeSpans.parse(text)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"PT-5S, 0s", "PT0.9S, 0s", "PT59S, 59s", "PT60S, 1m", "PT3599S, 59m 59s", "PT3600S, 1h",
      "PT86399S, 23h 59m", "PT86400S, 1d", "PT100H, 4d 4h"})
  @DisplayName("A time span is shown in its two largest units")
  void formatted(Duration duration, String text) {
    assertThat(TimeSpans.format(duration)).isEqualTo(text);
  }
}
