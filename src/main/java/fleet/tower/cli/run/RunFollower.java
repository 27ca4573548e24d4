package fleet.tower.cli.run;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import fleet.tower.lease.RequestId;

/** Follows runs that another process executes. */
public interface RunFollower {

  /** Shows a run from its beginning to its end, or until this process must end; the run may continue then. */
  RunEnding follow(RequestId id, Narrator narrator);

  /** The run once it has ended, or its state when the limit is reached; null for no limit. */
  RunEnding await(RequestId id, @Nullable Duration limit);
}
