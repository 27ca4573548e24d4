package fleet.tower.lock;

import java.time.Duration;
import java.util.Optional;
import java.util.function.BiConsumer;

import org.jspecify.annotations.Nullable;

import fleet.tower.lease.Decision;
import fleet.tower.lease.FencingToken;
import fleet.tower.lease.Lease;
import fleet.tower.lock.queue.LockWait;
import fleet.tower.lock.queue.Wait;
import fleet.tower.lock.queue.WaitOutcome;

/**
 * A lock as what somebody waits for. It is worth waiting on as long as somebody alive holds it, or it is frozen. The audit log is told what
 * ended the wait, and once that there was somebody in the way, not at every attempt.
 */
final class LockAttempt implements LockWait<AcquireOutcome, Decision.Obstacle> {
  private final LockStore store;
  private final AcquireRequest request;
  private final Wait.Progress progress;
  private final BiConsumer<AcquireRequest, AcquireOutcome> audit;
  private Decision.@Nullable Obstacle blocked;

  LockAttempt(LockStore store, AcquireRequest request, Wait.Progress progress,
      BiConsumer<AcquireRequest, AcquireOutcome> audit) {
    this.store = store;
    this.request = request;
    this.progress = progress;
    this.audit = audit;
  }

  @Override
  public Optional<AcquireOutcome> attempt() {
    AcquireOutcome outcome = store.acquire(request);
    if (outcome instanceof AcquireOutcome.Refused(Decision.Obstacle by) && !isOurs(by)) {
      blockedBy(by);
      return Optional.empty();
    }
    audit.accept(request, outcome);
    return Optional.of(outcome);
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
    // Free all the time, and others before us who did not take it: there is nobody to be told of.
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

  /** What is in the way now, and is remembered as the last thing that was. */
  private Decision.@Nullable Obstacle lookForBlocker() {
    if (store.view(request.name()).decide(request) instanceof Decision.Obstacle by) {
      blockedBy(by);
      return by;
    }
    return null;
  }

  /** Nobody waits for itself: who may not keep its own lock is refused at once. */
  private boolean isOurs(Decision.Obstacle by) {
    return by instanceof Decision.Blocked(Lease lease, var _) && lease.isHeldBy(request.owner(), FencingToken.NONE);
  }

  private void blockedBy(Decision.Obstacle by) {
    if (blocked == null) {
      audit.accept(request, new AcquireOutcome.Refused(by));
    }
    blocked = by;
  }
}
