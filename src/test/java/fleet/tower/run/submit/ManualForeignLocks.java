package fleet.tower.run.submit;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

import fleet.tower.foreign.ForeignLock;
import fleet.tower.foreign.ForeignLockState;
import fleet.tower.foreign.ForeignName;

/** Other tools' locks, held and released by hand; every call is recorded. */
public final class ManualForeignLocks implements ForeignLock.Opener {
  /** The holder of each lock. */
  public final Map<String, ForeignLockState> verdicts = new ConcurrentHashMap<>();
  /** The calls, in order. */
  public final List<String> asked = new CopyOnWriteArrayList<>();
  /** Runs before the check with a number, counted from 1. */
  public final Map<Integer, Runnable> beforeCheck = new ConcurrentHashMap<>();
  /** Runs before a lock with a name is requested. */
  public final Map<String, Runnable> beforeHold = new ConcurrentHashMap<>();
  private final AtomicInteger checks = new AtomicInteger();

  public static ForeignLockState.Held heldByTool(String holder) {
    return new ForeignLockState.Held(new ForeignLockState.Occupant(holder, 12, "dev-1", null));
  }

  @Override
  public ForeignLock open(ForeignName name) {
    return new ForeignLock() {
      @Override
      public ForeignLockState state() {
        asked.add("look " + name);
        return verdicts.getOrDefault(name.toString(), new ForeignLockState.Free());
      }

      @Override
      public ForeignLockState check() {
        beforeCheck.getOrDefault(checks.incrementAndGet(), () -> {}).run();
        asked.add("check " + name);
        return verdicts.getOrDefault(name.toString(), new ForeignLockState.Free());
      }

      @Override
      public ForeignLock.Hold.Outcome hold(ForeignLock.Claim claim) {
        beforeHold.getOrDefault(name.toString(), () -> {}).run();
        asked.add("hold " + name);
        if (verdicts.get(name.toString()) instanceof ForeignLockState.Blocking why) {
          return new ForeignLock.Hold.Refused(why);
        }
        verdicts.put(name.toString(), heldByTool(claim.holder()));
        return new ForeignLock.Hold.Granted(() -> release(name), null, false);
      }

      @Override
      public Optional<ForeignLock.Hold> heldBy(ForeignLock.Claim claim) {
        return Optional.empty();
      }
    };
  }

  private ForeignLock.Hold.ReleaseOutcome release(ForeignName name) {
    asked.add("release " + name);
    return verdicts.remove(name.toString()) == null ? new ForeignLock.Hold.Absent() : new ForeignLock.Hold.Released();
  }
}
