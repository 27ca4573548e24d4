package fleet.tower.dispatch;

/** The answer to somebody who wants to know what a request would do. */
public sealed interface Planning {

  record Planned(Plan plan) implements Planning {}

  record NotPlanned(Submission.Rejected why) implements Planning {}
}
