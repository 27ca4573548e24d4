package fleet.tower.lock;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import fleet.tower.lease.Lease;
import fleet.tower.platform.json.JsonException;
import fleet.tower.platform.json.JsonReader;

/**
 * The identity of the process that renews a lock, as a member of the lock's metadata. With it, other processes of the
 * machine can find out that the holder has ended, even if its pid was reused. A lock without it belongs to a client
 * that may have no process, such as a caller of a service.
 *
 * @param bootId the boot of its machine
 * @param pidNamespace the namespace in which its pid is valid
 * @param startTicks its start time, in clock ticks since boot
 */
public record HolderProcess(String bootId, String pidNamespace, long pid, long startTicks) {
  /** The name of the member. */
  public static final String MEMBER = "holder_process";
  private static final Pattern TEXT = Pattern.compile("([^/]+)/([^/]+)/(\\d{1,18})/(\\d{1,18})");

  /** The process that renews a lease; empty if the lease does not name it, or names another than its holder. */
  public static Optional<HolderProcess> of(Lease lease) {
    // Most locks of clients have no such member, and need not be parsed.
    return lease.metadata().contains(MEMBER)
        ? text(lease, MEMBER).map(TEXT::matcher).filter(Matcher::matches)
            .map(it -> new HolderProcess(it.group(1), it.group(2), Long.parseLong(it.group(3)),
                Long.parseLong(it.group(4))))
            .filter(process -> process.pid == lease.holder().pid())
        : Optional.empty();
  }

  /** A text member of the metadata of a lease. */
  static Optional<String> text(Lease lease, String member) {
    try {
      return JsonReader.readObject(lease.metadata()).text(member);
    } catch (JsonException writtenByOthers) {
      return Optional.empty();
    }
  }

  @Override
  public String toString() {
    return bootId + "/" + pidNamespace + "/" + pid + "/" + startTicks;
  }
}
