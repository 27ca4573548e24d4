package fleet.tower.run.execute;

import org.jspecify.annotations.Nullable;

import fleet.tower.run.RunRefusal;

/** The last check of a run whose request names a plan: under its locks, before its first step. */
@FunctionalInterface
public interface PlanCheck {
  /** The check of a run whose request names no plan. */
  PlanCheck NONE = () -> null;

  /** Returns how the run would differ from its plan now; null if it would not. */
  RunRefusal.@Nullable PlanChanged change();
}
