package fleet.tower.lease;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

/** The decision of the rules on a lease request. */
public sealed interface Decision {

  /** The lease is free: create it. */
  record Create() implements Decision {}

  /** The same owner already holds the lease and may keep it, so that a repeated request gets the same answer. */
  record Keep(Lease lease) implements Decision {}

  /** The lease is stale and the request has force: steal it. */
  record Steal(Lease previous) implements Decision {}

  /** The request is refused. */
  sealed interface Refusal extends Decision {
    /** The lease that is in the way; null if something else is. */
    default @Nullable Lease lease() {
      return null;
    }

    /** Whether the process that holds the lease is known to have ended. */
    default boolean holderIsGone() {
      Lease lease = lease();
      return lease != null && lease.holder().isGone();
    }
  }

  /** A refusal whose cause ends by itself, so that waiting makes sense. */
  sealed interface Obstacle extends Refusal {}

  /** What is stored of the lease or of its freeze cannot be used until an operator has dealt with it. */
  sealed interface Unusable extends Refusal {}

  /** An operator's order or rule is against the request; force does not change that, and nobody waits for it. */
  sealed interface Barred extends Refusal {}

  /** The lease is active; force does not change that. */
  record Blocked(Lease lease, Age age) implements Obstacle {}

  /** A freeze blocks new holders, whether the lease is held or not; force does not change that. */
  record Frozen(String actor, String reason, Instant since, Instant until) implements Obstacle {}

  /** A freeze that cannot be read blocks new holders until an operator lifts it. */
  record FrozenUnreadably(String path, String problem) implements Unusable {}

  /**
   * A halt covers the request.
   *
   * @param halt its name
   * @param actor who placed it; null if that is not known
   * @param until when it ends by itself; null if it stays until it is lifted
   */
  record Halted(String halt, @Nullable String actor, String reason, Instant since, @Nullable Instant until)
      implements
        Barred {
    /** The halt in a sentence without its subject. */
    public String describe() {
      return "halted by " + halt + (actor == null ? "" : " of " + actor) + ": " + reason;
    }
  }

  /**
   * The policy does not allow it at this time.
   *
   * @param window the name of the rule
   * @param opensAt when the rules allow it again; null if that is not known
   */
  record WindowClosed(String window, String reason, @Nullable Instant opensAt) implements Barred {}

  /**
   * The policy allows no more locks at the same time.
   *
   * @param quota the name of the rule
   */
  record LimitReached(String quota, int most) implements Barred {}

  /** The lease is stale, but stealing it requires force. */
  record Stale(Lease lease, Age age) implements Refusal {}

  /**
   * A client uses the id of a run, whose lock only its executor acquires, renews and releases.
   *
   * @param actor who requested the run
   * @param isOver whether the run is known to have ended, so that it cannot be cancelled
   */
  record OfRun(RequestId run, String actor, boolean isOver) implements Refusal {
    /** The refusal by the lease of a run. */
    public static OfRun of(Lease lease) {
      return new OfRun(lease.requestId(), lease.holder().actor(), false);
    }
  }

  /** The record of the lease cannot be read. */
  record Corrupt(String problem) implements Unusable {}

  /** The record of the lease has an unknown version. */
  record Unsupported(String version) implements Unusable {}
}
