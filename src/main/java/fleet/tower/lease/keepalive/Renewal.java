package fleet.tower.lease.keepalive;

import java.util.Optional;

import org.jspecify.annotations.Nullable;

import fleet.tower.lease.Lease;
import fleet.tower.lease.LeaseTerm;

/** Renews one lease at the place where it is kept. */
public interface Renewal {

  /** Proves once that the holder lives. An exception counts as {@link Failed}. */
  Result renew();

  /** The loss of the lease, found without renewing it; empty if the lease is held, or if that cannot be determined. */
  default Optional<Lost> look() {
    return Optional.empty();
  }

  /** The result of a renewal. */
  sealed interface Result {}

  /** The lease lives for another ttl. */
  record Renewed(LeaseTerm term) implements Result {}

  /**
   * The renewal failed; the lease may still be held.
   *
   * @param isReported whether the process reports the cause, an outage, once for all leases
   */
  record Failed(String error, boolean isReported) implements Result {

    /** A failure of this lease, which its listener reports. */
    public Failed(String error) {
      this(error, false);
    }
  }

  /** The renewal was not sent because the work made no progress; no loss was seen. */
  record Withheld(String error) implements Result {}

  /** The lease is lost; {@code holder} is the new holder, or null. */
  record Lost(String reason, @Nullable Lease holder) implements Result {}
}
