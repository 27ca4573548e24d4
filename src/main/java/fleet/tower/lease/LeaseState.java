package fleet.tower.lease;

import java.util.Locale;

/** What stands under a name when a store looks. */
public sealed interface LeaseState {

  /** The one word for it. */
  State state();

  /** The words that users see. */
  enum State {
    FREE, ACTIVE, STALE, CORRUPT, UNSUPPORTED;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** Nothing. */
  record Vacant() implements LeaseState {
    @Override
    public State state() {
      return State.FREE;
    }
  }

  /** A lease and its age by the store's clock. */
  record Held(Lease lease, Age age) implements LeaseState {
    /** Whether it may be taken by force. */
    public boolean isStale() {
      return age.exceeds(lease.ttl());
    }

    @Override
    public State state() {
      return isStale() ? State.STALE : State.ACTIVE;
    }
  }

  /** Something that nobody can read as a lease; it may be a lease all the same, so it is never taken. */
  record Corrupt(String problem) implements LeaseState {
    @Override
    public State state() {
      return State.CORRUPT;
    }
  }

  /** A lease in a version of the format that we do not know; never taken either. */
  record Unsupported(String version) implements LeaseState {
    @Override
    public State state() {
      return State.UNSUPPORTED;
    }
  }
}
