package fleet.tower.audit.jsonl;

/** Signals a follower that the log may have changed. */
interface Changes extends AutoCloseable {

  /** Waits until the files may have changed since the last call; sometimes returns without a change. */
  void await();

  @Override
  default void close() {
    // Nothing to release by default.
  }
}
