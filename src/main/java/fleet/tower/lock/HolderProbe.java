package fleet.tower.lock;

import java.util.Optional;

import fleet.tower.lease.Age;
import fleet.tower.lease.Decision;
import fleet.tower.lease.Lease;
import fleet.tower.lock.queue.WaitOutcome;

/** Finds out whether the process that holds a lock has ended. Implementations do not throw. */
public interface HolderProbe {
  /** A probe without any evidence. */
  HolderProbe NONE = new HolderProbe() {
    @Override
    public Life examine(Lease lease) {
      return Life.UNKNOWN;
    }
  };

  /** What is known about the process of a lease. */
  Life examine(Lease lease);

  /** A process of this machine as a lock names its holder; empty if its identity is unknown. */
  default Optional<HolderProcess> identify(long pid) {
    return Optional.empty();
  }

  /** Whether a process has ended. Only evidence counts: a holder that cannot be found is {@link #UNKNOWN}. */
  enum Life {
    /** It is alive, or nothing proves that it has ended. */
    UNKNOWN,
    /** It has ended, and was a process of this machine and its present boot. */
    ENDED_HERE,
    /** Its machine, which is this one, was restarted since. */
    ENDED_BEFORE_BOOT,
    /** It has ended, or counts as dead in its fleet, but its other processes cannot be seen from here. */
    ENDED_ELSEWHERE;

    public boolean isGone() {
      return this != UNKNOWN;
    }
  }

  /** The lease as views show it. */
  default Lease examined(Lease lease) {
    return examine(lease).isGone() ? lease.ofGoneHolder() : lease;
  }

  /** The outcome as its caller sees it. */
  default AcquireOutcome examined(AcquireOutcome outcome) {
    return outcome instanceof AcquireOutcome.Refused(Decision.Refusal refusal)
        ? new AcquireOutcome.Refused(examined(refusal))
        : outcome;
  }

  default Decision.Refusal examined(Decision.Refusal refusal) {
    return switch (refusal) {
      case Decision.Stale(Lease lease, Age age) -> new Decision.Stale(examined(lease), age);
      case Decision.Obstacle obstacle -> examined(obstacle);
      case Decision.Barred _,Decision.OfRun _,Decision.Unusable _ -> refusal;
    };
  }

  default Decision.Obstacle examined(Decision.Obstacle obstacle) {
    return switch (obstacle) {
      case Decision.Blocked(Lease lease, Age age) -> new Decision.Blocked(examined(lease), age);
      case Decision.Frozen _ -> obstacle;
    };
  }

  default WaitOutcome<AcquireOutcome, Decision.Obstacle> examined(
      WaitOutcome<AcquireOutcome, Decision.Obstacle> outcome) {
    return switch (outcome) {
      case WaitOutcome.Answered(AcquireOutcome answer) -> new WaitOutcome.Answered<>(examined(answer));
      case WaitOutcome.TimedOut(Decision.Obstacle obstacle) -> new WaitOutcome.TimedOut<>(examined(obstacle));
      case WaitOutcome.TooManyWaiters(int _),WaitOutcome.Cancelled() -> outcome;
    };
  }
}
