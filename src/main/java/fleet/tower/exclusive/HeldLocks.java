package fleet.tower.exclusive;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Consumer;

import fleet.tower.audit.AuditEvent;
import fleet.tower.audit.AuditLog;
import fleet.tower.time.TimeSource;

/** The foreign locks that one run holds, to be given back all together, once. */
public final class HeldLocks {
  private final Claim claim;
  private final AuditLog audit;
  private final TimeSource time;
  private final Deque<Held> held = new ArrayDeque<>();

  private record Held(ForeignName name, Hold hold) {}

  HeldLocks(Claim claim, AuditLog audit, TimeSource time) {
    this.claim = claim;
    this.audit = audit;
    this.time = time;
  }

  synchronized void add(ForeignName name, Hold hold) {
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
        case Hold.Released() -> {
        }
        case Hold.Absent() -> warnings
            .accept("foreign lock " + one.name() + " was gone before it was given back: somebody removed it");
        case Hold.NotOurs(Verdict now) -> warnings.accept("foreign lock " + one.name()
            + " was lost before it was given back: now it is " + ForeignAnswers.describe(now)
            + "; what lies there was left alone");
        case Hold.Failed(String problem) -> warnings.accept("foreign lock " + one.name()
            + " could not be given back: " + problem + "; remove it by hand, or let it go stale with this process");
      }
    }
  }

  static Hold.Release release(ForeignName name, Hold hold, Claim claim, AuditLog audit, TimeSource time) {
    Hold.Release release = hold.release();
    switch (release) {
      case Hold.Released() -> audit
          .append(new AuditEvent.ForeignLockReleased(claim.by(), time.now(), name.toString(), claim.holder(),
              claim.origin()));
      case Hold.Failed(String problem) -> audit
          .append(new AuditEvent.ForeignLockReleaseFailed(claim.by(), time.now(), name.toString(), problem,
              claim.origin()));
      case Hold.Absent _,Hold.NotOurs _ -> {
      }
    }
    return release;
  }
}
