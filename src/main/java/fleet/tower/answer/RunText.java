package fleet.tower.answer;

import fleet.tower.run.Run;
import fleet.tower.run.RunStatus;

/** Prose about runs, the same at both doors. */
public final class RunText {
  private RunText() {}

  /** How a run ended, to follow its name; names the lost host of an interrupted run. */
  public static String ended(Run run) {
    if (run.status() != RunStatus.INTERRUPTED) {
      return "has finished";
    }
    String host = run.hostId() == null ? "" : " on host " + run.hostId();
    return "was interrupted, because its executor" + host + " was lost";
  }
}
