package fleet.tower.lock.queue;

import java.time.Instant;
import java.util.List;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import fleet.tower.lease.LeaseName;
import fleet.tower.lease.RequestId;
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
    record Joined(Place place) implements JoinOutcome {}

    /** The queue has {@link #LIMIT} waiters already. */
    record Full() implements JoinOutcome {}
  }

  /** A waiter's place in a queue, until closed. */
  interface Place extends AutoCloseable {

    /**
     * Where this place is in the queue.
     *
     * @param refresh whether to read the queue even without a notification, since notifications can be lost
     */
    Standing standing(boolean refresh);

    /** How many waiters were ahead of this one when this process last read the queue. */
    int position();

    /** Whether changes of the queue are notified; if not, it must be polled often. */
    boolean isNotified();

    /** Leaves the queue. */
    @Override
    void close();

    /** A place's position relative to other processes. */
    sealed interface Standing {

      /** At the head of the queue. */
      record First() implements Standing {}

      /** Behind a waiter of this process, which watches for both. */
      record BehindOwn() implements Standing {}

      /**
       * Behind waiters of other processes only.
       *
       * @param first identifies the waiter at the head; never reused
       *
       * @param processes the number of processes ahead
       */
      record BehindOthers(String first, int processes) implements Standing {}
    }
  }

  /**
   * A request that waits in a queue. The actor and the intent are null if they were not recorded.
   *
   * @param since when it joined the queue; null if that was not recorded
   */
  record WaitingRequest(RequestId requestId, @Nullable String actor, @Nullable String intent,
      @Nullable Instant since) {}
}
