package fleet.tower.lease.keepalive;

import java.util.Optional;

import org.jspecify.annotations.Nullable;

import fleet.tower.lease.HeldLease;
import fleet.tower.lease.Lease;

/** Renews one lease at the place where it is kept. */
public interface Renewal {

  /** Proves once that the holder lives. Whatever it throws counts as {@link Failed}. */
  Result renew();

  /** Whether it is lost, as far as one sees who renews nothing; nothing where it is not, or where that cannot be told. */
  default Optional<Lost> look() {
    return Optional.empty();
  }

  /**
   * Whether the last {@link #renew()} held the renewal back because the work had proven nothing, while the place of the lease was
   * asked and nobody else had it: so the holder is not cut off, and learns of a loss by looking.
   */
  default boolean isHeldBack() {
    return false;
  }

  /** What came of it. */
  sealed interface Result {}

  /** Alive for another ttl. */
  record Renewed(HeldLease tenure) implements Result {}

  /** The proof did not arrive; the lease may well be held still. */
  record Failed(String error) implements Result {}

  /** It is not ours any more: {@code holder} has it, or nobody. */
  record Lost(String reason, @Nullable Lease holder) implements Result {}
}
