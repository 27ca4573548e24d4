package fleet.tower.answer;

import fleet.tower.run.RunRefusal;

/** The refusal of a run that would not do what was planned, in words, the same at all doors. */
public final class PlanChange {
  private PlanChange() {}

  /** What is different, as far as it is known. */
  public static String sentence(RunRefusal.PlanChanged change, String intent) {
    return change.changed().isEmpty()
        ? "a run of " + intent + " would not do what the plan with this hash shows"
        : "a run of " + intent + " would no longer do what was planned; changed: "
            + String.join(", ", change.changed());
  }
}
