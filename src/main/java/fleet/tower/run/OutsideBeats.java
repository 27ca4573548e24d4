package fleet.tower.run;

import fleet.tower.lease.RequestId;

/**
 * Heartbeats of runs that come from outside their executor: from a step, from a tool that watches it, from another
 * process. They prove progress that the executor cannot see.
 */
public interface OutsideBeats {

  /**
   * Receives heartbeats for a run of this process until the result is closed or the process ends. Throws
   * {@link fleet.tower.platform.StorageException} if none could arrive.
   */
  Receiver receive(RequestId run);

  /** Sends a heartbeat to a run; false if no process receives any for it. */
  boolean send(RequestId run);

  /** Receives the heartbeats of one run. */
  interface Receiver extends AutoCloseable {

    /** The file that a step may write to: any write is a heartbeat. */
    String path();

    /** Whether a heartbeat has arrived since the last call. */
    boolean hasArrived();

    @Override
    void close();
  }
}
