package fleet.tower.lock.queue;

import java.util.List;
import java.util.Set;

import fleet.tower.lease.LeaseName;
import fleet.tower.platform.time.WakeUp;

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
    public JoinOutcome join(LeaseName name, WaitingRequest request, WakeUp wakeUp) {
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

    @Override
    public List<WaitingRequest> list(LeaseName name) {
      return List.of();
    }
  };

  /**
   * Joins the end of the queue; {@code wakeUp} is signalled when the place may have improved or the name may be free.
   * A queue whose store has a clock records its own time of arrival.
   */
  JoinOutcome join(LeaseName name, WaitingRequest request, WakeUp wakeUp);

  /** The number of live waiters for a name. Changes nothing. */
  int length(LeaseName name);

  /** The names that have waiters, dead ones included. Changes nothing. */
  Set<LeaseName> names();

  /** The requests of the live waiters for a name, in their order. Changes nothing. */
  List<WaitingRequest> list(LeaseName name);

  /** The outcome of joining. */
  sealed interface JoinOutcome {

    /** A place; the caller closes it. */
    record Joined(QueuePlace place) implements JoinOutcome {}

    /** The queue has {@link #LIMIT} waiters already. */
    record Full() implements JoinOutcome {}
  }
}
