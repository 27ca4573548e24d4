package fleet.tower.lock.queue;

import java.util.Set;

import fleet.tower.lease.LeaseName;
import fleet.tower.lease.RequestId;
import fleet.tower.platform.wait.WakeUp;

/**
 * The waiters of all lock names: one queue per name, in order of arrival. Every call may throw {@link
 * java.io.UncheckedIOException}.
 */
public interface WaitQueue {
  /** The maximum number of waiters for one name. */
  int LIMIT = 100;

  /** The queue of an installation without waiting. */
  WaitQueue NONE = new WaitQueue() {
    @Override
    public JoinOutcome join(LeaseName name, RequestId requestId, WakeUp wakeUp) {
      throw new IllegalStateException("cannot wait for " + name + ": this installation has no wait queue");
    }

    @Override
    public int length(LeaseName name) {
      return 0;
    }

    @Override
    public Set<LeaseName> names() {
      return Set.of();
    }
  };

  /**
   * Joins the end of the queue; {@code wakeUp} is signalled when the place may have improved or the name may be free.
   */
  JoinOutcome join(LeaseName name, RequestId requestId, WakeUp wakeUp);

  /** The number of live waiters for a name. Changes nothing. */
  int length(LeaseName name);

  /** The names that have waiters, dead ones included. Changes nothing. */
  Set<LeaseName> names();

  /** The outcome of joining. */
  sealed interface JoinOutcome {

    /** A place; the caller closes it. */
    record Joined(QueuePlace place) implements JoinOutcome {}

    /** The queue has {@link #LIMIT} waiters already. */
    record Full() implements JoinOutcome {}
  }
}
