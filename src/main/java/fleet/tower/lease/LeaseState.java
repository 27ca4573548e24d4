package fleet.tower.lease;

import java.util.Locale;

/** The state of a lease name as read from a store. */
public sealed interface LeaseState {

  /** The status that users see. */
  State state();

  /** The statuses that users see. */
  enum State {
    FREE, ACTIVE, STALE, CORRUPT, UNSUPPORTED;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** No lease. */
  record Vacant() implements LeaseState {
    @Override
    public State state() {
      return State.FREE;
    }
  }

  /** A lease and its age by the store's clock. */
  record Held(Lease lease, Age age) implements LeaseState {
    /** Whether the lease may be stolen by force. */
    public boolean isStale() {
      return age.exceeds(lease.ttl());
    }

    @Override
    public State state() {
      return isStale() ? State.STALE : State.ACTIVE;
    }
  }

  /** A record that may be a lease, but cannot be used as one, so it is never taken. */
  sealed interface Unusable extends LeaseState {

    /** The refusal of every request for it. */
    Decision.Unusable refusal();
  }

  /** A record that cannot be read. */
  record Corrupt(String problem) implements Unusable {
    @Override
    public Decision.Unusable refusal() {
      return new Decision.Corrupt(problem);
    }

    @Override
    public State state() {
      return State.CORRUPT;
    }
  }

  /** A lease in an unknown version of the format. */
  record Unsupported(String version) implements Unusable {
    @Override
    public Decision.Unusable refusal() {
      return new Decision.Unsupported(version);
    }

    @Override
    public State state() {
      return State.UNSUPPORTED;
    }
  }
}
