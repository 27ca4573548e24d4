package fleet.tower.foreign;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Consumer;

import fleet.tower.audit.AuditEvent;
import fleet.tower.audit.AuditLog;
import fleet.tower.platform.time.TimeSource;

/** The foreign locks that one run holds; released together, once. */
public final class HeldLocks {
  private final ForeignClaim claim;
  private final AuditLog audit;
  private final TimeSource time;
  private final Deque<Held> held = new ArrayDeque<>();

  private record Held(ForeignName name, ForeignHold hold) {}

  HeldLocks(ForeignClaim claim, AuditLog audit, TimeSource time) {
    this.claim = claim;
    this.audit = audit;
    this.time = time;
  }

  synchronized void add(ForeignName name, ForeignHold hold) {
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
        case ForeignHold.Released() -> {
        }
        case ForeignHold.Absent() -> warnings
            .accept("foreign lock " + next.name() + " was removed by another program before its release");
        case ForeignHold.NotOurs(ForeignLockState now) -> warnings.accept("foreign lock " + next.name()
            + " was lost before its release: now it is " + now.describe()
            + "; it was not touched");
        case ForeignHold.Failed(String problem) -> warnings.accept("foreign lock " + next.name()
            + " could not be released: " + problem + "; remove it by hand, or let it go stale with this process");
      }
    }
  }

  static ForeignHold.ReleaseOutcome release(ForeignName name, ForeignHold hold, ForeignClaim claim, AuditLog audit,
      TimeSource time) {
    ForeignHold.ReleaseOutcome outcome = hold.release();
    switch (outcome) {
      case ForeignHold.Released() -> audit
          .append(new AuditEvent.ForeignLockReleased(claim.by(), time.now(), name.toString(), claim.holder(),
              claim.origin()));
      case ForeignHold.Failed(String problem) -> audit
          .append(new AuditEvent.ForeignLockReleaseFailed(claim.by(), time.now(), name.toString(), problem,
              claim.origin()));
      case ForeignHold.Absent _,ForeignHold.NotOurs _ -> {
      }
    }
    return outcome;
  }
}
