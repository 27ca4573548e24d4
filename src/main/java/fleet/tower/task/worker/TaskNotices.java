package fleet.tower.task.worker;

/** Notices that a task may have become available. One may be lost, so a worker also polls. */
public interface TaskNotices {
  /** A place without notices. */
  TaskNotices NONE = _ -> () -> {};

  /** Runs {@code work} at each notice until the subscription is closed; it must not wait. */
  Subscription subscribe(Runnable work);

  /** A subscription. */
  interface Subscription extends AutoCloseable {
    @Override
    void close();
  }
}
