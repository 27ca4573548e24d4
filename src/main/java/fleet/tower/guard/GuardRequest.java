package fleet.tower.guard;

import java.util.List;

import org.jspecify.annotations.Nullable;

import fleet.tower.lease.FencingToken;
import fleet.tower.lease.RequestId;
import fleet.tower.lock.AcquireRequest;
import fleet.tower.lock.queue.Wait;
import fleet.tower.platform.time.Cancellation;

/**
 * A command to run under a lock.
 *
 * @param patience how long to wait for the lock; null to be refused at once
 * @param outer the lock of the guard around this one; null for none
 */
public record GuardRequest(AcquireRequest lock, @Nullable Patience patience, @Nullable Outer outer, OnLost onLost,
    List<String> argv) {
  public GuardRequest {
    argv = List.copyOf(argv);
    if (argv.isEmpty()) {
      throw new IllegalStateException("a guard without a command");
    }
  }

  /** What happens to the command when its lock is lost. */
  public enum OnLost {
    WARN, STOP
  }

  /** Creates a wait that a signal can end. */
  public interface Patience {
    Wait until(Cancellation cancellation);
  }

  /** The owner and the token of the lock that a guard around this one holds. */
  public record Outer(RequestId requestId, FencingToken token) {}
}
