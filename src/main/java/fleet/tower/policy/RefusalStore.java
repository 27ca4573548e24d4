package fleet.tower.policy;

import java.time.Duration;
import java.time.Instant;

/** The refused requests of actors, for rules that count them. Every call is atomic, also among processes. */
public interface RefusalStore {

  /**
   * Adds a refusal, and removes those of all rules that no longer count.
   *
   * @param within how long it counts
   * @return how many of this rule and actor count now
   */
  int add(String rule, String actor, Instant now, Duration within);

  /** Removes the refusals of an actor, so that a rule counts from zero. */
  void forget(String rule, String actor);
}
