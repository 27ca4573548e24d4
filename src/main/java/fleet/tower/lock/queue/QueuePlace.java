package fleet.tower.lock.queue;

/** One waiter's place in a line, until it is closed. */
public interface QueuePlace extends AutoCloseable {

  /**
   * Where this place stands.
   *
   * @param anew whether to look even if nobody told of a change, as changes can be missed
   */
  Standing standing(boolean anew);

  /** How many were before this one when somebody of this process last looked. */
  int position();

  /** Whether changes are told of at all; if not, one has to look often. */
  boolean isToldOfChanges();

  /** Leaves the line. */
  @Override
  void close();

  /** Where a place stands. */
  sealed interface Standing {

    /** At the head. */
    record First() implements Standing {}

    /** Behind somebody of this process, who looks out for both. */
    record BehindOurs() implements Standing {}

    /**
     * Behind others alone.
     *
     * @param first who is at the head, in a way that is never used for another
     * @param processes how many processes they are
     */
    record BehindOthers(String first, int processes) implements Standing {}
  }
}
