package fleet.tower.foreign;

import static java.util.Objects.requireNonNull;

import org.jspecify.annotations.Nullable;

import fleet.tower.audit.Origin;
import fleet.tower.lease.RequestId;

/**
 * Who wants to hold a foreign lock.
 *
 * @param by the request that the audit log tells
 * @param holder the name that others are shown
 * @param version the holder's own version; empty for none
 * @param pid the process whose life is the lock's
 * @param run tells one holder in a process from another; null where a process has one only
 * @param origin who asks, for the audit log
 */
public record ForeignClaim(RequestId by, String holder, String version, long pid, @Nullable String run, Origin origin) {
  public ForeignClaim {
    requireNonNull(by);
    requireNonNull(version);
    requireNonNull(origin);
    if (holder.isBlank()) {
      throw new IllegalStateException("a holder without a name");
    }
    if (pid <= 0) {
      throw new IllegalStateException("no process has the number " + pid);
    }
  }
}
