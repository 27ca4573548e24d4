package fleet.tower.cli.reply;

import fleet.tower.run.Run;
import fleet.tower.run.RunStatus;

/** Prose about runs, the same at both doors. */
public final class RunText {
  private RunText() {}

  /** How a run ended, after its name; says which host was lost with an interrupted run. */
  public static String ended(Run run) {
    if (run.status() != RunStatus.INTERRUPTED) {
      return "has finished";
    }
    return "was interrupted, because " + (run.hostId() == null ? "its executor" : "its executor on host " + run.hostId())
        + " was lost";
  }
}
