package fleet.tower.policy;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import fleet.tower.lock.Halt;
import fleet.tower.platform.time.TimeSpans;

/**
 * A rule that an actor is halted after too many refused requests.
 *
 * @param scope the actors that it covers
 * @param refusals after how many, in which time
 * @param level what the halt stops
 * @param length how long the halt stays in force; null for until it is lifted
 */
public record ContainRule(String name, Halt.Scope scope, Quota.Rate refusals, Halt.Level level,
    @Nullable Duration length) {

  /** After what it halts an actor, and how, in words. */
  public String describe() {
    return "halt (" + level + ") " + (length == null ? "until it is lifted" : "for " + TimeSpans.format(length))
        + " after " + count();
  }

  /** After what it halts an actor, in words. */
  String count() {
    return refusals.most() + " refusals in " + TimeSpans.format(refusals.within());
  }
}
