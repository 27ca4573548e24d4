package fleet.tower.lease;

/** What stands under a name when a store looks. */
public sealed interface Occupancy {

  /** Nothing. */
  record Vacant() implements Occupancy {}

  /** A lease and its age by the store's clock. */
  record Held(Lease lease, Age age) implements Occupancy {
    /** Whether it may be taken by force. */
    public boolean isStale() {
      return age.exceeds(lease.ttl());
    }
  }

  /** Something that nobody can read as a lease; it may be a lease all the same, so it is never taken. */
  record Corrupt(String problem) implements Occupancy {}

  /** A lease in a version of the format that we do not know; never taken either. */
  record Unsupported(String version) implements Occupancy {}
}
