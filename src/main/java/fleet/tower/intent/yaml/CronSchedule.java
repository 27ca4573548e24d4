package fleet.tower.intent.yaml;

import java.time.Instant;
import java.util.Optional;

import fleet.tower.intent.CronExpression;
import fleet.tower.intent.Schedule;

/** A schedule written as a cron expression. */
record CronSchedule(String text, CronExpression expression) implements Schedule {
  /** An expression that fires at all fires after this moment too. */
  private static final Instant SOME_DAY = Instant.parse("2000-01-01T00:00:00Z");

  /** A text that is not a cron expression; the message says why. */
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
      throw new Malformed("has 5 fields; put the second in front: 0 " + text.strip());
    }
    if (fields.length != 6 && !text.startsWith("@")) {
      throw new Malformed("has " + fields.length
          + (fields.length == 1 ? " field" : " fields") + "; it needs 6: second minute hour day month weekday");
    }
    try {
      CronSchedule schedule = new CronSchedule(text, CronExpression.parse(text));
      if (schedule.after(SOME_DAY).isEmpty()) {
        throw new Malformed("never fires: there is no such day");
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
