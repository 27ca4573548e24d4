package fleet.tower.answer;

import fleet.tower.foreign.ForeignLock.Refusal;
import fleet.tower.foreign.ForeignLockJson;
import fleet.tower.foreign.ForeignLockState;
import fleet.tower.foreign.ForeignLockState.Occupant;
import fleet.tower.foreign.ForeignName;
import fleet.tower.platform.ErrorCode;

/** Refusals because of foreign locks in words, with the commands that help. */
public final class ForeignLockText {
  private ForeignLockText() {}

  /** The refusal in a sentence. */
  public static String sentence(Refusal refusal) {
    return "foreign lock " + refusal.name() + " is " + refusal.why().describe();
  }

  /** The refusal as the answer to a request. */
  public static Problem problem(Refusal refusal) {
    return Problem.ofAnswer(ErrorCode.FOREIGN_LOCK, sentence(refusal), ForeignLockJson.refusal(refusal))
        .next(Remedies.of(refusal));
  }

  /**
   * What to do about a foreign lock that is in the way. A lock is never removed by hand while its tool may be at work.
   */
  public static String advice(Refusal refusal) {
    return switch (refusal.why()) {
      case ForeignLockState.Doubtful _ -> refusal.suggestion().replaceFirst("^Look", "look");
      case ForeignLockState.Held _ -> switch (refusal.name().kind()) {
        case BEADS, FLOCK, PIDFILE -> "wait until its holder releases it";
        case TERRAFORM -> "wait until Terraform has finished";
      };
    };
  }

  /** A command that helps after a refusal, and changes nothing. */
  public static String command(Refusal refusal) {
    ForeignName name = refusal.name();
    return switch (refusal.why()) {
      case ForeignLockState.Doubtful _ -> "ls -l " + name.path();
      case ForeignLockState.Held(Occupant occupant) -> switch (name.kind()) {
        case BEADS -> "tower exclusive check " + name.path();
        case FLOCK -> "fuser -v " + name.path();
        case TERRAFORM -> "cat " + name.path() + "/.terraform.tfstate.lock.info";
        case PIDFILE -> "ps -p " + occupant.pid();
      };
    };
  }
}
