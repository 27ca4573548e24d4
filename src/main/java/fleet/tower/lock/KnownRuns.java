package fleet.tower.lock;

import java.util.Optional;

import fleet.tower.lease.Actor;
import fleet.tower.lease.RequestId;

/** The runs of a home, as far as its locks must know them. Calls may throw {@code StorageException}. */
public interface KnownRuns {
  /** No runs. */
  KnownRuns NONE = new KnownRuns() {
    @Override
    public Optional<KnownRun> find(RequestId requestId) {
      return Optional.empty();
    }

    @Override
    public void abandon(RequestId run, Actor by) {}
  };

  /** The run with a request id, if there is one. */
  Optional<KnownRun> find(RequestId requestId);

  /** Has a run that lost its lock to a forced release stop as soon as possible. */
  void abandon(RequestId run, Actor by);

  /**
   * A recorded run.
   *
   * @param actor who requested it
   * @param isAlive whether it has not finished, and an executor has it or will take it
   */
  record KnownRun(String actor, boolean isAlive) {}
}
