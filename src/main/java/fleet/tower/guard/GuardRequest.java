package fleet.tower.guard;

import static java.util.Objects.requireNonNull;

import java.util.List;

import org.jspecify.annotations.Nullable;

import fleet.tower.lease.FencingToken;
import fleet.tower.lease.RequestId;
import fleet.tower.lock.AcquireRequest;
import fleet.tower.lock.queue.Wait;
import fleet.tower.platform.wait.Cancellation;

/**
 * Somebody wants a command run under a lock.
 *
 * @param patience how long to wait for it; null to be refused at once
 * @param outer the tenure that the caller has been told of by a guard around it
 */
public record GuardRequest(AcquireRequest lock, @Nullable Patience patience, @Nullable Outer outer, OnLost onLost,
    List<String> argv) {
  public GuardRequest {
    requireNonNull(lock);
    requireNonNull(onLost);
    argv = List.copyOf(argv);
    if (argv.isEmpty()) {
      throw new IllegalStateException("a guard without a command");
    }
  }

  /** What becomes of the command when its lock is lost. */
  public enum OnLost {
    WARN, STOP
  }

  /** Makes the wait that a signal can end. */
  public interface Patience {
    Wait until(Cancellation cancellation);
  }

  /** A tenure of the same lock around this one. */
  public record Outer(RequestId requestId, FencingToken token) {
    public Outer {
      requireNonNull(requestId);
      requireNonNull(token);
    }
  }
}
