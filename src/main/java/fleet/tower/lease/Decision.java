package fleet.tower.lease;

import java.time.Instant;

/** What the rules say to someone who wants a lease. */
public sealed interface Decision {

  /** Nobody has it: create it. */
  record Create() implements Decision {}

  /** The same owner has it already, and may keep it: a repeated question gets the same answer. */
  record Keep(Lease lease) implements Decision {}

  /** Its holder is dead and force was given: take it. */
  record Steal(Lease previous) implements Decision {}

  /** Not now, and why. */
  sealed interface Refusal extends Decision {}

  /** What passes without anybody else's help, so that waiting for it is worth while. */
  sealed interface Obstacle extends Refusal {}

  /** Somebody alive holds it; force changes nothing about that. */
  record Blocked(Lease lease, Age age) implements Obstacle {}

  /** Nobody new may have it now, held or not, and force changes nothing about that either. */
  record Frozen(String actor, String reason, Instant since, Instant until) implements Obstacle {}

  /** The same, by something that cannot be read; it ends when somebody lifts it. */
  record FrozenUnreadably(String path, String problem) implements Refusal {}

  /** Its holder is dead, but taking it needs force. */
  record Stale(Lease lease, Age age) implements Refusal {}

  /** What stands there cannot be read. */
  record Unreadable(String problem) implements Refusal {}

  /** What stands there is of a version that we do not know. */
  record Newer(String version) implements Refusal {}
}
