package fleet.tower.run;

import fleet.tower.lease.RequestId;

/**
 * Beats of runs that come from outside their executor: from a step, from whoever looks after it, from another process. They say
 * that a run gets on, where its executor sees nothing of that.
 */
public interface OutsideBeats {

  /**
   * Takes beats for a run of this process until that is closed, or this process has died. Throws
   * {@link fleet.tower.platform.StorageException} where none could arrive.
   */
  Taking take(RequestId run);

  /** Leaves a beat for a run; false where nobody takes any for it. */
  boolean leave(RequestId run);

  /** That beats of one run are taken. */
  interface Taking extends AutoCloseable {

    /** Where a step may leave a beat by itself: any write to this file is one. */
    String path();

    /** Whether a beat has come since this was last asked. */
    boolean hasCome();

    @Override
    void close();
  }
}
