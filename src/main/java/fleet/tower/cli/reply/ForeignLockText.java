package fleet.tower.cli.reply;

import fleet.tower.cli.envelope.Reply;
import fleet.tower.foreign.ForeignLock.Refusal;
import fleet.tower.foreign.ForeignLockState;
import fleet.tower.foreign.ForeignLockState.Occupant;
import fleet.tower.foreign.ForeignName;

/** Refusals because of foreign locks in words, with the commands that help. */
public final class ForeignLockText {
  private ForeignLockText() {}

  /** The refusal in a sentence. */
  public static String sentence(Refusal refusal) {
    return "foreign lock " + refusal.name() + " is " + refusal.why().describe();
  }

  /** The refusal as the answer of a command. */
  public static Reply reply(Refusal refusal) {
    return ErrorCode.FOREIGN_LOCK.reply(sentence(refusal), "", ForeignLockJson.refusal(refusal))
        .next(NextActions.of(refusal));
  }

  /** The suggestion after a refusal. */
  public static String suggestion(Refusal refusal) {
    return switch (refusal.why()) {
      case ForeignLockState.Doubtful _ ->
        "Look at " + refusal.name().path() + "; it must be repaired or removed by hand";
      case ForeignLockState.Held _ -> switch (refusal.name().kind()) {
        case BEADS -> "Wait until it is released; if its holder is on another host and gone, remove "
            + refusal.name().path() + "/.exclusive-lock by hand";
        case FLOCK, PIDFILE -> "Wait until its holder releases it";
        case TERRAFORM -> "Wait until Terraform has finished";
      };
    };
  }

  /** What to do about a foreign lock that is in the way. A lock is never removed by hand while its tool may be at work. */
  public static String advice(Refusal refusal) {
    return switch (refusal.why()) {
      case ForeignLockState.Doubtful _ -> suggestion(refusal).replaceFirst("^Look", "look");
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
