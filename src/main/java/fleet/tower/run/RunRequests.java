package fleet.tower.run;

import java.util.List;
import java.util.Locale;

import fleet.tower.lease.Actor;
import fleet.tower.lease.RequestId;

/**
 * Requests of other processes to the executors of unfinished runs. A request belongs to the executor that has the run,
 * even if that changes, and is deleted with the end of the run. Calls may throw
 * {@link fleet.tower.platform.StorageException}.
 */
public interface RunRequests {

  /** What a process requests. */
  enum Kind {
    /** To cancel the run. */
    CANCEL,
    /** To count progress of the run. */
    BEAT,
    /** To stop the run without its lock, which was taken from it. */
    ABANDON;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /**
   * Records a request durably, and wakes the executor. Recording it again changes nothing.
   *
   * @return false if {@code executor} does not have the run, or the run has finished; then nothing is recorded
   */
  boolean put(RequestId run, String executor, Kind kind, Actor by);

  /** The requests for the unfinished runs of an executor. */
  List<Pending> of(String executor);

  /** Removes a request that its executor has fulfilled. */
  void remove(Pending request);

  /** A recorded request. */
  record Pending(RequestId run, Kind kind) {}
}
