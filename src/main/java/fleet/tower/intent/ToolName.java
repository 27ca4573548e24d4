package fleet.tower.intent;

import java.util.Optional;
import java.util.Set;

/**
 * The names of the tools that agents call: one for each intent, and the fixed ones. Different intents have different
 * tools, and no tool's name is longer than its intent's, because a name of an intent has neither {@code _} nor
 * {@code .}.
 */
public final class ToolName {
  /** The prefix of the arguments that every intent's tool has in addition to its parameters. */
  public static final String OWN_ARGUMENTS = "tower_";
  /** The tools that do not belong to an intent. */
  public static final Set<String> FIXED = Set.of("plan_intent", "run_again", "get_run", "wait_run", "cancel_run",
      "probe_intent", "settle_run", "list_runs", "explain_lock", "list_locks", "acquire_lock", "renew_lock",
      "release_lock", "claim_task", "renew_task",
      "close_task", "send_message", "receive_message", "settle_message", "search_intents", "run_intent");

  private ToolName() {}

  /** The tool that runs an intent. */
  public static String of(String intent) {
    return intent.replace('-', '_');
  }

  /** Why an intent cannot have a name, if its tool would be a fixed one. */
  public static Optional<String> problem(String intent) {
    String tool = of(intent);
    return FIXED.contains(tool)
        ? Optional.of("'" + intent + "' cannot be the name of an intent, because agents have a fixed tool " + tool
            + "; choose another, such as '" + intent + "-now', and rename the file")
        : Optional.empty();
  }
}
