package fleet.tower.answer;

import fleet.tower.lease.RequestId;
import fleet.tower.operation.ApprovalOperations;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.run.Run;

/** What a run waits for that must be approved, in words. */
public final class ApprovalText {
  private ApprovalText() {}

  /** Whose approval a run waits for, as in {@code approval by ada (0 of 1)}. */
  public static String of(Run run) {
    return run.approval() == null
        ? "approval"
        : of(run.approval().terms().voters(), run.approval().have(), run.approval().terms().need());
  }

  /** The same of the data of a run. */
  public static String of(JsonObject run) {
    return run.object("approval").map(it -> of(it.text("asked").orElse(""), it.integer("have").orElse(0),
        it.integer("need").orElse(0)) + " until " + it.text("expires_at").orElse("")).orElse("approval");
  }

  private static String of(String voters, long have, long need) {
    return "approval by " + voters + " (" + have + " of " + need + ")";
  }

  /** The command that shows what is to be approved, and how to approve it. */
  public static String command(RequestId run) {
    return new CommandLine(ApprovalOperations.APPROVE).operand(run.value()).toString();
  }
}
