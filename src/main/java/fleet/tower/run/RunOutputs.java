package fleet.tower.run;

import java.time.Instant;
import java.util.List;

import fleet.tower.lease.RequestId;

/** The stored output of runs. Every call may throw {@link fleet.tower.platform.StorageException}. */
public interface RunOutputs {

  /** The runs whose output was last extended before a moment. */
  List<RequestId> untouchedSince(Instant moment);

  /** Deletes the output of a run, if there is any. */
  void remove(RequestId requestId);
}
