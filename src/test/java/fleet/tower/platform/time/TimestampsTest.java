package fleet.tower.platform.time;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.Optional;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("A timestamp has one text form; boot stamps are comparable within a boot")
class TimestampsTest {

  @ParameterizedTest
  @CsvSource({"2025-12-18T10:30:10Z, 2025-12-18T10:30:10Z", "2025-12-18T10:30:10.999999999Z, 2025-12-18T10:30:10Z",
      "1970-01-01T00:00:00Z, 1970-01-01T00:00:00Z", "2024-02-29T23:59:59Z, 2024-02-29T23:59:59Z",
      "0001-02-03T04:05:06Z, 0001-02-03T04:05:06Z", "9999-12-31T23:59:59Z, 9999-12-31T23:59:59Z",
      "1969-12-31T23:59:59.5Z, 1969-12-31T23:59:59Z"})
  @DisplayName("TF-3.1 TF-A12 written in whole seconds, UTC")
  void formats(String moment, String expected) {
    assertThat(Timestamps.format(Instant.parse(moment))).isEqualTo(expected);
    assertThat(Timestamps.parse(expected)).hasValue(Timestamps.wholeSecond(Instant.parse(moment)));
  }

  @ParameterizedTest
  @CsvSource({"2025-12-18T10:30:10+00:00, 2025-12-18T10:30:10Z", "2025-12-18T10:30:10.5Z, 2025-12-18T10:30:10.500Z",
      "2025-12-18T10:30:10.000000001Z, 2025-12-18T10:30:10.000000001Z",
      "2025-12-18T10:30:10.123+00:00, 2025-12-18T10:30:10.123Z"})
  @DisplayName("TF-A12 fractions and +00:00 are accepted")
  void reads(String text, String expected) {
    assertThat(Timestamps.parse(text)).hasValue(Instant.parse(expected));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "today", "2025-12-18", "2025-12-18T10:30:10", "2025-12-18 10:30:10Z",
      "2025-12-18T10:30:10z", "2025-12-18T10:30:10+01:00", "2025-12-18T10:30:10-00:00", "2025-12-18T10:30:10.Z",
      "2025-12-18T10:30:10.1234567890Z", "2025-13-01T00:00:00Z", "2025-02-29T00:00:00Z", "2025-12-18T24:00:00Z",
      "2025-12-18T10:30:60Z", "12025-12-18T10:30:10Z", "-2025-12-18T10:30:10Z", "2025-12-18T10:30:10Z\n",
      " 2025-12-18T10:30:10Z", "\u0662025-12-18T10:30:10Z", "1766054410", "a[$(id)]"})
  @DisplayName("TF-12.3 anything else is rejected")
  void refuses(String text) {
    assertThat(Timestamps.parse(text)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"2025-12-18T10:30:10Z, 2025-12-18T10:30:10Z", "2025-12-18T12:30:10+02:00, 2025-12-18T10:30:10Z",
      "2025-12-18T05:00:10.25-05:30, 2025-12-18T10:30:10.250Z", "2025-12-18T10:30:10-00:00, 2025-12-18T10:30:10Z",
      "2025-12-18T12:30:10, ", "12025-12-18T10:30:10+01:00, ", "+12025-12-18T10:30:10+01:00, ",
      "2025-02-29T10:30:10+01:00, ", "2025-12-18T10:30:10+25:00, ", "today, ", "'', "})
  @DisplayName("TF-3.1 timestamps of other programs may have an offset")
  void readsOtherZones(String text, @Nullable Instant expected) {
    assertThat(Timestamps.parseWithOffset(text)).isEqualTo(Optional.ofNullable(expected));
  }

  @Test
  @DisplayName("TF-1.1 stamps of one boot are comparable, others are not")
  void comparesWithinABoot() {
    BootStamp first = new BootStamp("boot-1", 1000);
    assertThat(new BootStamp("boot-1", 4500).millisSince(first)).hasValue(3500);
    assertThat(first.millisSince(first)).hasValue(0);
    assertThat(new BootStamp("boot-1", 999).millisSince(first)).isEmpty();
    assertThat(new BootStamp("boot-2", 4500).millisSince(first)).isEmpty();
  }
}
