package fleet.tower.audit.jsonl;

/** Tells a follower when it may be worth looking at the log again. */
interface Changes extends AutoCloseable {

  /** Comes back when the files may have changed since the last call, and now and then without a reason. */
  void await();

  @Override
  default void close() {
    // Most have nothing to give back.
  }
}
