package fleet.tower.intent.yaml;

import java.time.Instant;
import java.util.Optional;

import fleet.tower.intent.CronExpression;
import fleet.tower.intent.Intent;

/** A schedule given as a cron expression in UTC. */
record CronSchedule(String text, CronExpression expression) implements Intent.Schedule {

  @Override
  public Optional<Instant> after(Instant moment) {
    return expression.next(moment);
  }
}
