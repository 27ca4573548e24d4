package fleet.tower.dispatch;

/** The answer to somebody who wants to know what a request would do. */
public sealed interface Planning {

  /** This is what it would do. */
  record Planned(Plan plan) implements Planning {}

  /** It would be rejected. */
  record NotPlanned(Submission.Rejected why) implements Planning {}
}
