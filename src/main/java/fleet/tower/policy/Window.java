package fleet.tower.policy;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.zone.ZoneOffsetTransition;
import java.util.Optional;

import fleet.tower.intent.CronExpression;

/**
 * Periods that begin at the times of a cron expression in a time zone, and last equally long in elapsed time.
 *
 * <p>A time that a change of the clock skips is the moment of the change; one that occurs twice is the first of the
 * two.
 *
 * @param text the cron expression as it was written
 */
public record Window(String text, CronExpression begins, ZoneId zone, Duration length) {
  /** A bound for windows that overlap themselves without an end. */
  private static final int MAX_PERIODS = 10_000;

  /** Whether a moment is in one of the periods. */
  public boolean covers(Instant moment) {
    return beginAfter(moment.minus(length)).filter(begin -> !begin.isAfter(moment)).isPresent();
  }

  /** The first moment from {@code moment} on that is in none of the periods; empty if none was found. */
  public Optional<Instant> end(Instant moment) {
    Instant end = moment;
    for (int periods = 0; periods < MAX_PERIODS; periods++) {
      Instant at = end;
      Optional<Instant> begin = beginAfter(at.minus(length)).filter(it -> !it.isAfter(at));
      if (begin.isEmpty()) {
        return Optional.of(end);
      }
      end = begin.get().plus(length);
    }
    return Optional.empty();
  }

  /** The first begin of a period after a moment; empty if there is none. */
  public Optional<Instant> beginAfter(Instant moment) {
    LocalDateTime local = LocalDateTime.ofInstant(moment, zone);
    for (;;) {
      Optional<LocalDateTime> next = begins.next(local);
      if (next.isEmpty()) {
        return Optional.empty();
      }
      Instant at = instant(next.get());
      if (at.isAfter(moment)) {
        return Optional.of(at);
      }
      // The second passage of an hour that the clock repeats: its times were those of the first.
      local = next.get();
    }
  }

  private Instant instant(LocalDateTime local) {
    ZoneOffsetTransition change = zone.getRules().getTransition(local);
    return change != null && change.isGap() ? change.getInstant() : local.atZone(zone).toInstant();
  }
}
