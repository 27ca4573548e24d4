package fleet.tower.service.web.access;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import fleet.tower.platform.time.ManualTime;
import fleet.tower.service.web.access.BadTokens.Count;

@DisplayName("Counting of bad tokens")
class BadTokensTest {
  private final ManualTime time = new ManualTime();
  private final BadTokens bad = new BadTokens(time);

  private Count count(String address, int times) {
    Count last = bad.count(address);
    for (int i = 1; i < times; i++) {
      last = bad.count(address);
    }
    return last;
  }

  @Test
  @DisplayName("Ten a minute are answered and audited, the next one is audited, the others are counted until the "
      + "minute ends")
  void minute() {
    assertThat(count("10.0.0.1", 10)).isEqualTo(new Count(false, true, 0, 61));
    time.advance(Duration.ofSeconds(20));
    assertThat(count("10.0.0.1", 1)).isEqualTo(new Count(true, true, 0, 41));
    assertThat(count("10.0.0.1", 7)).isEqualTo(new Count(true, false, 0, 41));
    assertThat(count("10.0.0.2", 1)).isEqualTo(new Count(false, true, 0, 61));
    time.advance(Duration.ofSeconds(40));
    assertThat(count("10.0.0.1", 1)).isEqualTo(new Count(false, true, 7, 61));
    assertThat(count("10.0.0.1", 1)).isEqualTo(new Count(false, true, 0, 61));
  }

  @Test
  @DisplayName("In IPv6 a network of 64 bits counts as one address")
  void networks() {
    assertThat(count("2001:db8:0:1::1", 10).isOver()).isFalse();
    assertThat(count("2001:db8:0:1:ffff::2", 1).isOver()).isTrue();
    assertThat(count("2001:db8:0:2::1", 1).isOver()).isFalse();
    assertThat(count("no address", 1).isOver()).isFalse();
  }

  @Test
  @DisplayName("The number of remembered addresses is limited; an active address is not forgotten")
  void bounded() {
    count("10.0.0.1", 11);
    for (int i = 0; i < 3 * BadTokens.MOST_ADDRESSES; i++) {
      bad.count("10.1." + i / 256 + "." + i % 256);
      if (i % 1000 == 0) {
        assertThat(bad.count("10.0.0.1").isOver()).isTrue();
      }
    }
    assertThat(bad.size()).isEqualTo(BadTokens.MOST_ADDRESSES);
  }
}
