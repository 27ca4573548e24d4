package fleet.tower.run;

import java.time.Instant;
import java.util.List;

import fleet.tower.lease.RequestId;

/** What the steps of runs have printed, run by run. Every call may throw {@link fleet.tower.platform.StorageException}. */
public interface RunOutputs {

  /** The runs that something was printed by, and was last added to before a moment. */
  List<RequestId> untouchedSince(Instant moment);

  /** Throws away what a run has printed, if it has. */
  void remove(RequestId requestId);
}
