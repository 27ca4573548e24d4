package fleet.tower.lock.queue;

/** A waiter's place in a queue, until closed. */
public interface QueuePlace extends AutoCloseable {

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
