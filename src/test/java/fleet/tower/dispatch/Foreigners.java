package fleet.tower.dispatch;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

import fleet.tower.exclusive.Claim;
import fleet.tower.exclusive.ForeignLock;
import fleet.tower.exclusive.ForeignName;
import fleet.tower.exclusive.Hold;
import fleet.tower.exclusive.Verdict;

/** Other tools' locks, held and given back by hand; what is asked of each is written down. */
public final class Foreigners implements ForeignLock.Opener {
  /** Who has one, by its name. */
  public final Map<String, Verdict> verdicts = new LinkedHashMap<>();
  /** What was asked, in order. */
  public final List<String> asked = new ArrayList<>();
  /** Done before the answer to the check of this number, counted from 1. */
  public final Map<Integer, Runnable> beforeCheck = new LinkedHashMap<>();
  /** Done before a lock of this name is asked for. */
  public final Map<String, Runnable> beforeHold = new LinkedHashMap<>();
  private final AtomicInteger checks = new AtomicInteger();

  public static Verdict.Held heldByTool(String holder) {
    return new Verdict.Held(new Verdict.Occupant(holder, 12, "dev-1", null));
  }

  @Override
  public ForeignLock open(ForeignName name) {
    return new ForeignLock() {
      @Override
      public Verdict look() {
        asked.add("look " + name);
        return verdicts.getOrDefault(name.toString(), new Verdict.Free());
      }

      @Override
      public Verdict check() {
        beforeCheck.getOrDefault(checks.incrementAndGet(), () -> {}).run();
        asked.add("check " + name);
        return verdicts.getOrDefault(name.toString(), new Verdict.Free());
      }

      @Override
      public Hold.Outcome hold(Claim claim) {
        beforeHold.getOrDefault(name.toString(), () -> {}).run();
        asked.add("hold " + name);
        if (verdicts.get(name.toString()) instanceof Verdict.Blocking why) {
          return new Hold.Refused(why);
        }
        verdicts.put(name.toString(), heldByTool(claim.holder()));
        return new Hold.Granted(() -> release(name), null, false);
      }

      @Override
      public Optional<Hold> heldBy(Claim claim) {
        return Optional.empty();
      }
    };
  }

  private Hold.Release release(ForeignName name) {
    asked.add("release " + name);
    return verdicts.remove(name.toString()) == null ? new Hold.Absent() : new Hold.Released();
  }
}
