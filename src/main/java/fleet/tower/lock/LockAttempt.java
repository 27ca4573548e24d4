package fleet.tower.lock;

import java.time.Duration;
import java.util.Optional;
import java.util.function.BiConsumer;

import org.jspecify.annotations.Nullable;

import fleet.tower.lease.Decision;
import fleet.tower.lease.Occupancy;
import fleet.tower.waiting.Wait;
import fleet.tower.waiting.WaitOutcome;
import fleet.tower.waiting.Wanted;

/**
 * A lock as what somebody waits for. It is worth waiting on as long as somebody alive holds it. The audit log is told what
 * ended the wait, and once that there was somebody in the way, not at every attempt.
 */
final class LockAttempt implements Wanted<AcquireOutcome, Decision.Blocked> {
  private final LockStore store;
  private final AcquireRequest request;
  private final Wait.Progress progress;
  private final BiConsumer<AcquireRequest, AcquireOutcome> audit;
  private Decision.@Nullable Blocked blocked;

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
    if (outcome instanceof AcquireOutcome.Refused(Decision.Blocked by)) {
      blockedBy(by);
      return Optional.empty();
    }
    audit.accept(request, outcome);
    return Optional.of(outcome);
  }

  @Override
  public boolean isToBeHad() {
    return lookForBlocker() == null;
  }

  @Override
  public WaitOutcome<AcquireOutcome, Decision.Blocked> atLimit() {
    lookForBlocker();
    Decision.Blocked by = blocked;
    if (by != null) {
      return new WaitOutcome.InVain<>(by);
    }
    // Free all the time, and others before us who did not take it: there is nobody to be told of.
    return attempt().<WaitOutcome<AcquireOutcome, Decision.Blocked>>map(WaitOutcome.Answered::new)
        .orElseGet(this::atLimit);
  }

  @Override
  public void tell(Duration waited, int position) {
    lookForBlocker();
    Decision.Blocked by = blocked;
    if (by != null) {
      progress.waiting(by.lease(), waited, position);
    }
  }

  /** Who is in the way now, and is remembered as the last one who was. */
  private Decision.@Nullable Blocked lookForBlocker() {
    if (store.look(request.name()).occupancy() instanceof Occupancy.Held held && !held.isStale()) {
      Decision.Blocked by = new Decision.Blocked(held.lease(), held.age());
      blockedBy(by);
      return by;
    }
    return null;
  }

  private void blockedBy(Decision.Blocked by) {
    if (blocked == null) {
      audit.accept(request, new AcquireOutcome.Refused(by));
    }
    blocked = by;
  }
}
