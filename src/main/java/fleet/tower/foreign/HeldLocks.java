package fleet.tower.foreign;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Consumer;

import fleet.tower.audit.AuditEvent;
import fleet.tower.audit.AuditLog;
import fleet.tower.platform.time.TimeSource;

/** The foreign locks that one run holds; released together, once. */
public final class HeldLocks {
  private final ForeignLock.Claim claim;
  private final AuditLog audit;
  private final TimeSource time;
  private final Deque<Held> held = new ArrayDeque<>();

  private record Held(ForeignName name, ForeignLock.Hold hold) {}

  HeldLocks(ForeignLock.Claim claim, AuditLog audit, TimeSource time) {
    this.claim = claim;
    this.audit = audit;
    this.time = time;
  }

  synchronized void add(ForeignName name, ForeignLock.Hold hold) {
    held.push(new Held(name, hold));
  }

  /**
   * Releases all locks, last acquired first. A failure to release one does not keep the others.
   *
   * @param warnings receives what operators should know or do
   */
  public synchronized void release(Consumer<String> warnings) {
    while (!held.isEmpty()) {
      Held next = held.pop();
      switch (release(next.name(), next.hold(), claim, audit, time)) {
        case ForeignLock.Hold.Released() -> {
        }
        case ForeignLock.Hold.Absent() -> warnings
            .accept("foreign lock " + next.name() + " was removed by another program before its release");
        case ForeignLock.Hold.NotOurs(ForeignLockState now) -> warnings.accept("foreign lock " + next.name()
            + " was lost before its release: now it is " + now.describe()
            + "; it was not touched");
        case ForeignLock.Hold.Failed(String problem) -> warnings.accept("foreign lock " + next.name()
            + " could not be released: " + problem + "; remove it by hand, or let it go stale with this process");
      }
    }
  }

  static ForeignLock.Hold.ReleaseOutcome release(ForeignName name, ForeignLock.Hold hold, ForeignLock.Claim claim,
      AuditLog audit,
      TimeSource time) {
    ForeignLock.Hold.ReleaseOutcome outcome = hold.release();
    switch (outcome) {
      case ForeignLock.Hold.Released() -> audit
          .append(new AuditEvent.ForeignLockReleased(claim.by(), time.now(), name.toString(), claim.holder(),
              claim.origin()));
      case ForeignLock.Hold.Failed(String problem) -> audit
          .append(new AuditEvent.ForeignLockReleaseFailed(claim.by(), time.now(), name.toString(), problem,
              claim.origin()));
      case ForeignLock.Hold.Absent _,ForeignLock.Hold.NotOurs _ -> {
      }
    }
    return outcome;
  }
}
