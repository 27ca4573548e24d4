package fleet.tower.lock.queue;

import fleet.tower.lease.LeaseName;
import fleet.tower.lease.RequestId;
import fleet.tower.platform.wait.WakeUp;

/**
 * Those who wait, one line for each name, in the order of their arrival. Every call may throw
 * {@link java.io.UncheckedIOException}.
 */
public interface WaitQueue {
  /** As many may wait for one name. */
  int LIMIT = 100;

  /** The line of those who never wait. */
  WaitQueue NONE = new WaitQueue() {
    @Override
    public Joined join(LeaseName name, RequestId who, WakeUp bell) {
      throw new IllegalStateException("nobody can wait for " + name + " here: there is no line");
    }

    @Override
    public int length(LeaseName name) {
      return 0;
    }
  };

  /** Takes the last place; {@code bell} is rung when the place may have become a better one, or the name free. */
  Joined join(LeaseName name, RequestId who, WakeUp bell);

  /** How many living ones wait for a name. Changes nothing. */
  int length(LeaseName name);

  /** What came of joining. */
  sealed interface Joined {

    /** A place, to be closed by its owner. */
    record At(QueuePlace place) implements Joined {}

    /** There are {@link #LIMIT} already. */
    record Full() implements Joined {}
  }
}
