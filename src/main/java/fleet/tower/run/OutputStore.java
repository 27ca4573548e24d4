package fleet.tower.run;

import java.util.List;
import java.util.Map;

import fleet.tower.lease.RequestId;

/** The output of steps in the database of a fleet, where every host reads it. */
public interface OutputStore extends StepLogs {
  /** The maximum size of a chunk. */
  int CHUNK_BYTES = 64 * 1024;

  /**
   * Adds parts of logs in one transaction, and announces their runs. Parts of runs without a record are ignored. A log
   * has no gap as long as each part begins where a stored one ends or before; parts may overlap.
   */
  void append(List<Chunk> chunks);

  /** The sizes of the stored logs of runs, by their names; runs without output are left out. */
  Map<RequestId, Map<String, Long>> sizes(List<RequestId> requestIds);

  /** A part of a log, of at most {@link #CHUNK_BYTES}. */
  record Chunk(RequestId requestId, String logName, long start, byte[] bytes) {
    public long end() {
      return start + bytes.length;
    }
  }
}
