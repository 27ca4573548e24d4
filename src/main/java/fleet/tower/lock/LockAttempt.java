package fleet.tower.lock;

import java.time.Duration;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

import fleet.tower.lease.Decision;
import fleet.tower.lease.FencingToken;
import fleet.tower.lease.Lease;
import fleet.tower.lock.queue.Wait;
import fleet.tower.lock.queue.WaitOutcome;
import fleet.tower.lock.queue.Waiter.LockWait;

/**
 * The repeated attempts of a waiting request to acquire a lock. It waits while a live holder has the lock or it is
 * frozen. The audit log records the end of the wait, and once that the request was blocked, not at every attempt.
 */
final class LockAttempt implements LockWait<AcquireOutcome, Decision.Obstacle> {
  private final AuditedStore changes;
  private final AcquireRequest request;
  private final Wait.Progress progress;
  private Decision.@Nullable Obstacle blocked;

  LockAttempt(AuditedStore changes, AcquireRequest request, Wait.Progress progress) {
    this.changes = changes;
    this.request = request;
    this.progress = progress;
  }

  @Override
  public Optional<AcquireOutcome> attempt() {
    AcquireOutcome outcome = changes.acquire(request, answer -> obstacle(answer) == null);
    Decision.Obstacle by = obstacle(outcome);
    if (by == null) {
      return Optional.of(outcome);
    }
    blockedBy(by);
    return Optional.empty();
  }

  /** What the request waits for; null if the outcome is its answer. */
  private Decision.@Nullable Obstacle obstacle(AcquireOutcome outcome) {
    return outcome instanceof AcquireOutcome.Refused(Decision.Obstacle by) && !isOurs(by) ? by : null;
  }

  @Override
  public boolean isAvailable() {
    return lookForBlocker() == null;
  }

  @Override
  public WaitOutcome<AcquireOutcome, Decision.Obstacle> atLimit() {
    lookForBlocker();
    Decision.Obstacle by = blocked;
    if (by != null) {
      return new WaitOutcome.TimedOut<>(by);
    }
    // The lock was free all the time, but the requests before this one did not take it: there is no obstacle to report.
    return attempt().<WaitOutcome<AcquireOutcome, Decision.Obstacle>>map(WaitOutcome.Answered::new)
        .orElseGet(this::atLimit);
  }

  @Override
  public void onWaiting(Duration waited, int position) {
    lookForBlocker();
    Decision.Obstacle by = blocked;
    if (by != null) {
      progress.waiting(by, waited, position);
    }
  }

  /** The current obstacle, which is also stored as the last one. */
  private Decision.@Nullable Obstacle lookForBlocker() {
    if (changes.store().view(request.name()).decide(request) instanceof Decision.Obstacle by) {
      blockedBy(by);
      return by;
    }
    return null;
  }

  /** Whether the request itself holds the lock: an owner that may not keep its lock is refused at once. */
  private boolean isOurs(Decision.Obstacle by) {
    return by instanceof Decision.Blocked(Lease lease, var _) && lease.isHeldBy(request.owner(), FencingToken.NONE);
  }

  private void blockedBy(Decision.Obstacle by) {
    if (blocked == null) {
      changes.audit().answered(request, new AcquireOutcome.Refused(by));
    }
    blocked = by;
  }
}
