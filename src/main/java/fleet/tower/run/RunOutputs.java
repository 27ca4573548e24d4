package fleet.tower.run;

import java.time.Instant;
import java.util.List;

import fleet.tower.lease.RequestId;

/** The output of runs in the files of this host. Every call may throw {@link fleet.tower.platform.StorageException}. */
public interface RunOutputs {

  /** The runs whose output was last extended before a moment. */
  List<RequestId> untouchedSince(Instant moment);

  /** The number of bytes of all logs of a run. */
  long size(RequestId requestId);

  /** Deletes the output of a run, if there is any. */
  void remove(RequestId requestId);
}
