package fleet.tower.policy;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import fleet.tower.intent.CronExpression;

@DisplayName("Windows of time, by the rules of their zone")
class WindowTest {
  private static Window window(String cron, String length, String zone) {
    return new Window(cron, CronExpression.written(cron), ZoneId.of(zone), Duration.parse(length));
  }

  @ParameterizedTest
  @DisplayName("A window begins at its local time and lasts equally long in elapsed time, also when the clock changes")
  @CsvSource(delimiter = '|', textBlock = """
      # a weekend in winter: 16:00 is 15:00 UTC, and 60 hours end on Monday at 04:00
      0 0 16 * * FRI | PT60H | Europe/Berlin    | 2026-11-27T14:59:59Z | false
      0 0 16 * * FRI | PT60H | Europe/Berlin    | 2026-11-27T15:00:00Z | true
      0 0 16 * * FRI | PT60H | Europe/Berlin    | 2026-11-28T12:00:00Z | true
      0 0 16 * * FRI | PT60H | Europe/Berlin    | 2026-11-30T02:59:59Z | true
      0 0 16 * * FRI | PT60H | Europe/Berlin    | 2026-11-30T03:00:00Z | false
      # a weekend in summer
      0 0 16 * * FRI | PT60H | Europe/Berlin    | 2026-07-24T13:59:59Z | false
      0 0 16 * * FRI | PT60H | Europe/Berlin    | 2026-07-24T14:00:00Z | true
      0 0 16 * * FRI | PT60H | Europe/Berlin    | 2026-07-27T01:59:59Z | true
      0 0 16 * * FRI | PT60H | Europe/Berlin    | 2026-07-27T02:00:00Z | false
      # the weekend when summer time begins, 29 March 2026: it ends at 05:00 local time
      0 0 16 * * FRI | PT60H | Europe/Berlin    | 2026-03-27T14:59:59Z | false
      0 0 16 * * FRI | PT60H | Europe/Berlin    | 2026-03-27T15:00:00Z | true
      0 0 16 * * FRI | PT60H | Europe/Berlin    | 2026-03-29T01:30:00Z | true
      0 0 16 * * FRI | PT60H | Europe/Berlin    | 2026-03-30T02:59:59Z | true
      0 0 16 * * FRI | PT60H | Europe/Berlin    | 2026-03-30T03:00:00Z | false
      # the weekend when it ends, 25 October 2026: it ends at 03:00 local time
      0 0 16 * * FRI | PT60H | Europe/Berlin    | 2026-10-23T13:59:59Z | false
      0 0 16 * * FRI | PT60H | Europe/Berlin    | 2026-10-23T14:00:00Z | true
      0 0 16 * * FRI | PT60H | Europe/Berlin    | 2026-10-26T01:59:59Z | true
      0 0 16 * * FRI | PT60H | Europe/Berlin    | 2026-10-26T02:00:00Z | false
      # 02:30 does not exist on 29 March 2026: the window begins when the clock jumps, at 01:00 UTC
      0 30 2 * * *   | PT10M | Europe/Berlin    | 2026-03-28T01:30:00Z | true
      0 30 2 * * *   | PT10M | Europe/Berlin    | 2026-03-29T00:59:59Z | false
      0 30 2 * * *   | PT10M | Europe/Berlin    | 2026-03-29T01:00:00Z | true
      0 30 2 * * *   | PT10M | Europe/Berlin    | 2026-03-29T01:09:59Z | true
      0 30 2 * * *   | PT10M | Europe/Berlin    | 2026-03-29T01:10:00Z | false
      0 30 2 * * *   | PT10M | Europe/Berlin    | 2026-03-29T01:30:00Z | false
      0 30 2 * * *   | PT10M | Europe/Berlin    | 2026-03-30T00:30:00Z | true
      # 02:30 occurs twice on 25 October 2026: the window begins at the first, 00:30 UTC
      0 30 2 * * *   | PT10M | Europe/Berlin    | 2026-10-25T00:29:59Z | false
      0 30 2 * * *   | PT10M | Europe/Berlin    | 2026-10-25T00:30:00Z | true
      0 30 2 * * *   | PT10M | Europe/Berlin    | 2026-10-25T00:39:59Z | true
      0 30 2 * * *   | PT10M | Europe/Berlin    | 2026-10-25T00:40:00Z | false
      0 30 2 * * *   | PT10M | Europe/Berlin    | 2026-10-25T01:30:00Z | false
      0 30 2 * * *   | PT10M | Europe/Berlin    | 2026-10-26T01:30:00Z | true
      # hours of work, and a zone with a change of half an hour (Lord Howe, 5 April 2026)
      0 0 9 * * MON-FRI | PT8H | America/New_York | 2026-03-09T12:59:59Z | false
      0 0 9 * * MON-FRI | PT8H | America/New_York | 2026-03-09T13:00:00Z | true
      0 0 9 * * MON-FRI | PT8H | America/New_York | 2026-11-02T13:59:59Z | false
      0 0 9 * * MON-FRI | PT8H | America/New_York | 2026-11-02T14:00:00Z | true
      0 0 9 * * MON-FRI | PT8H | America/New_York | 2026-11-02T21:59:59Z | true
      0 0 9 * * MON-FRI | PT8H | America/New_York | 2026-11-02T22:00:00Z | false
      0 45 1 * * *   | PT5M  | Australia/Lord_Howe | 2026-04-04T14:45:00Z | true
      0 45 1 * * *   | PT5M  | Australia/Lord_Howe | 2026-04-04T15:15:00Z | false
      0 0 0 * * *    | PT24H | UTC              | 2026-11-28T10:00:00Z | true
      """)
  void covers(String cron, String length, String zone, Instant moment, boolean expected) {
    assertThat(window(cron.strip(), length, zone.strip()).covers(moment)).isEqualTo(expected);
  }

  @Test
  @DisplayName("The end of a window is the first moment that none of its periods covers")
  void end() {
    Instant friday = Instant.parse("2026-11-27T20:00:00Z");
    assertThat(window("0 0 16 * * FRI", "PT60H", "Europe/Berlin").end(friday))
        .contains(Instant.parse("2026-11-30T03:00:00Z"));
    assertThat(window("0 0 16 * * FRI,SAT", "PT30H", "Europe/Berlin").end(friday))
        .as("the periods overlap").contains(Instant.parse("2026-11-29T21:00:00Z"));
    assertThat(window("0 0 16 * * FRI", "PT1H", "UTC").end(friday)).contains(friday);
    assertThat(window("0 0 0 * * *", "PT24H", "UTC").end(friday)).as("one that never ends").isEmpty();
  }

  @Test
  @DisplayName("Every begin of three years is found in order, by a search of each minute")
  void begins() {
    Window window = window("0 15 2 * * *", "PT1M", "Europe/Berlin");
    Instant moment = Instant.parse("2026-01-01T00:00:00Z");
    Instant last = Instant.parse("2029-01-01T00:00:00Z");
    long begins = 0;
    for (Instant begin = window.beginAfter(moment).orElseThrow(); begin.isBefore(last); begin = window.beginAfter(begin)
        .orElseThrow()) {
      assertThat(window.covers(begin)).isTrue();
      assertThat(window.covers(begin.minusSeconds(1))).isFalse();
      begins++;
    }
    assertThat(begins).as("one each day").isEqualTo(Duration.between(moment, last).toDays());
  }
}
