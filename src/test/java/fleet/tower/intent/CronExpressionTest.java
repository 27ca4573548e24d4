package fleet.tower.intent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.Optional;
import java.util.Random;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("Cron expressions fire when Spring's do")
class CronExpressionTest {
  private static final Instant START = Instant.parse("2026-11-22T09:59:58.300Z");

  @ParameterizedTest
  @DisplayName("The next time of each form")
  @CsvSource(delimiter = '|', textBlock = """
      * * * * * *            | 2026-11-22T09:59:59Z
      0 */5 * * * *          | 2026-11-22T10:00:00Z
      0 0 3 * * *            | 2026-11-23T03:00:00Z
      0 30 9-17/4 * * MON-FRI| 2026-11-23T09:30:00Z
      0 0 0 L * ?            | 2026-11-30T00:00:00Z
      0 0 0 L-3 * *          | 2026-11-27T00:00:00Z
      0 0 0 LW * *           | 2026-11-30T00:00:00Z
      0 0 0 1W AUG *         | 2027-08-02T00:00:00Z
      0 0 0 * * 5L           | 2026-11-27T00:00:00Z
      0 0 0 ? * FRI#2        | 2026-12-11T00:00:00Z
      0 0 0 29 2 *           | 2028-02-29T00:00:00Z
      0 0 0 * * SUN-TUE      | 2026-11-23T00:00:00Z
      @hourly                | 2026-11-22T10:00:00Z
      @yearly                | 2027-01-01T00:00:00Z
      """)
  void next(String expression, Instant expected) {
    assertThat(CronExpression.parse(expression).next(START)).contains(expected);
  }

  @Test
  @DisplayName("An impossible date never fires")
  void never() {
    assertThat(CronExpression.parse("0 0 0 30 2 *").next(START)).isEmpty();
  }

  @ParameterizedTest
  @DisplayName("A malformed expression is rejected")
  @ValueSource(strings = {"", "* * * * *", "60 * * * * *", "* * 24 * * *", "* * * 0 * *", "* * * * 13 *", "* * * * * 8",
      "*/0 * * * * *", "5-1 * * * * *", "* * * * * L", "* * * * FOO *", "* * * 1WW * *", "-1 * * * * *",
      "1,,2 * * * * *",
      "* * * * * FRI#6", "99999999999 * * * * *"})
  void malformed(String expression) {
    assertThatThrownBy(() -> CronExpression.parse(expression)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  @DisplayName("A thousand random expressions agree with Spring at ten moments each")
  void asSpring() {
    Random random = new Random(20261122);
    for (int i = 0; i < 1_000; i++) {
      String expression = String.join(" ", field(random, 0, 59), field(random, 0, 59), field(random, 0, 23),
          field(random, 1, 28), field(random, 1, 12), field(random, 0, 7));
      var spring = org.springframework.scheduling.support.CronExpression.parse(expression);
      CronExpression ours = CronExpression.parse(expression);
      Instant moment = START.plusSeconds(random.nextInt(100_000_000));
      for (int j = 0; j < 10; j++) {
        ZonedDateTime theirs = spring.next(ZonedDateTime.ofInstant(moment, ZoneOffset.UTC));
        if (theirs == null) {
          break;
        }
        Optional<Instant> next = ours.next(moment);
        assertThat(next).as("%s after %s", expression, moment).contains(theirs.toInstant());
        moment = next.orElseThrow();
      }
    }
  }

  private static String field(Random random, int min, int max) {
    // For Spring a range from 7 to 7 is the whole week, not Sunday.
    int from = min + random.nextInt(max - min);
    int to = from + random.nextInt(max - from + 1);
    return switch (random.nextInt(5)) {
      case 0 -> String.valueOf(from);
      case 1 -> from + "-" + to;
      case 2 -> from + "-" + to + "/" + (1 + random.nextInt(5));
      case 3 -> from + "," + to;
      default -> random.nextBoolean() ? "*" : "*/" + (1 + random.nextInt(10));
    };
  }
}
