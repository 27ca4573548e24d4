package fleet.tower.foreign;

import org.jspecify.annotations.Nullable;

import fleet.tower.audit.Origin;
import fleet.tower.lease.RequestId;

/**
 * A request to hold a foreign lock.
 *
 * @param by the request's id, for the audit log
 *
 * @param holder the name that other tools see
 *
 * @param version the holder's version; empty if none
 *
 * @param pid the process whose life limits the lock's
 *
 * @param run distinguishes several holders in one process; null if there is only one
 *
 * @param origin the requester, for the audit log
 */
public record ForeignClaim(RequestId by, String holder, String version, long pid, @Nullable String run, Origin origin) {
  public ForeignClaim {
    if (holder.isBlank()) {
      throw new IllegalStateException("a foreign lock needs the name of its holder");
    }
    if (pid <= 0) {
      throw new IllegalStateException("a process number must be positive, not " + pid);
    }
  }
}
