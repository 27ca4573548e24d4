package fleet.tower.intent.yaml;

import java.time.Instant;
import java.util.Optional;

import fleet.tower.intent.CronExpression;
import fleet.tower.intent.Intent;

/** A schedule given as a cron expression. */
record CronSchedule(String text, CronExpression expression) implements Intent.Schedule {
  /** Any expression that ever fires also fires after this moment. */
  private static final Instant REFERENCE = Instant.parse("2000-01-01T00:00:00Z");

  /** Thrown for an invalid cron expression; the message states the reason. */
  static final class Malformed extends Exception {
    private static final long serialVersionUID = 1;
    private final String problem;

    Malformed(String problem) {
      super(problem);
      this.problem = problem;
    }

    String problem() {
      return problem;
    }
  }

  static CronSchedule parse(String text) throws Malformed {
    String[] fields = text.strip().split("\\s+", -1);
    if (fields.length == 5) {
      throw new Malformed("has 5 fields; add the seconds field in front: 0 " + text.strip());
    }
    if (fields.length != 6 && !text.startsWith("@")) {
      throw new Malformed("has " + fields.length
          + (fields.length == 1 ? " field" : " fields") + "; it must have 6: second minute hour day month weekday");
    }
    try {
      CronSchedule schedule = new CronSchedule(text, CronExpression.parse(text));
      if (schedule.after(REFERENCE).isEmpty()) {
        throw new Malformed("never fires: no date matches it");
      }
      return schedule;
    } catch (IllegalArgumentException e) {
      throw new Malformed("is not a cron expression: " + e.getMessage());
    }
  }

  @Override
  public Optional<Instant> after(Instant moment) {
    return expression.next(moment);
  }
}
