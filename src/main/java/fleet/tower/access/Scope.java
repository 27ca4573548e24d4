package fleet.tower.access;

import java.util.List;
import java.util.Map;

/**
 * The limits of a token within its role.
 *
 * @param intents the intents that it may plan, run, queue and use in tasks; empty for all
 *
 * @param locks the locks that it may hold itself; empty for all. They do not limit the lock that a run takes:
 *     its intent and parameters do.
 */
public record Scope(List<AllowedIntents> intents, List<LockPattern> locks) {
  /** No limits. */
  public static final Scope ALL = new Scope(List.of(), List.of());

  public Scope {
    intents = List.copyOf(intents);
    locks = List.copyOf(locks);
  }

  /** Whether an intent is allowed with some parameter values. */
  boolean allows(String intent) {
    return intents.isEmpty() || intents.stream().anyMatch(it -> it.name().matches(intent));
  }

  /** Whether an intent is allowed with these values, defaults included. */
  boolean allows(String intent, Map<String, String> values) {
    return intents.isEmpty() || intents.stream().anyMatch(it -> it.covers(intent, values));
  }

  /** The values that are allowed for an intent, one entry for each alternative; empty for any values. */
  public List<AllowedIntents> limitsOf(String intent) {
    List<AllowedIntents> matching = intents.stream().filter(it -> it.name().matches(intent)).toList();
    return matching.stream().anyMatch(it -> it.params().isEmpty()) ? List.of() : matching;
  }

  boolean allowsLock(String lock) {
    return locks.isEmpty() || locks.stream().anyMatch(it -> it.matches(lock));
  }
}
