package fleet.tower.foreign;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Consumer;

import fleet.tower.audit.AuditEvent;
import fleet.tower.audit.AuditLog;
import fleet.tower.platform.time.TimeSource;

/** The foreign locks that one run holds, to be given back all together, once. */
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
   * Gives all of them back, the last one first. One that cannot be given back keeps none of the others.
   *
   * @param warnings told what people have to know or do
   */
  public synchronized void release(Consumer<String> warnings) {
    while (!held.isEmpty()) {
      Held one = held.pop();
      switch (release(one.name(), one.hold(), claim, audit, time)) {
        case ForeignHold.Released() -> {
        }
        case ForeignHold.Absent() -> warnings
            .accept("foreign lock " + one.name() + " was gone before it was given back: somebody removed it");
        case ForeignHold.NotOurs(ForeignLockState now) -> warnings.accept("foreign lock " + one.name()
            + " was lost before it was given back: now it is " + now.describe()
            + "; what lies there was left alone");
        case ForeignHold.Failed(String problem) -> warnings.accept("foreign lock " + one.name()
            + " could not be given back: " + problem + "; remove it by hand, or let it go stale with this process");
      }
    }
  }

  static ForeignHold.Release release(ForeignName name, ForeignHold hold, ForeignClaim claim, AuditLog audit,
      TimeSource time) {
    ForeignHold.Release release = hold.release();
    switch (release) {
      case ForeignHold.Released() -> audit
          .append(new AuditEvent.ForeignLockReleased(claim.by(), time.now(), name.toString(), claim.holder(),
              claim.origin()));
      case ForeignHold.Failed(String problem) -> audit
          .append(new AuditEvent.ForeignLockReleaseFailed(claim.by(), time.now(), name.toString(), problem,
              claim.origin()));
      case ForeignHold.Absent _,ForeignHold.NotOurs _ -> {
      }
    }
    return release;
  }
}
