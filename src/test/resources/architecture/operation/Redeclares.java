package fleet.tower.operation.fixture;

import fleet.tower.access.Role;
import fleet.tower.answer.CommandLine;
import fleet.tower.operation.Given;
import fleet.tower.operation.LockOperations;
import fleet.tower.operation.Operation;

/** Repeats what operations declare. */
final class Redeclares {
  private static final String TOOL = "acquire_lock";

  String cancel(String run) {
    return "/runs/" + run + "/cancel";
  }

  String help() {
    return "see GET /locks?limit=1";
  }

  String command(String lock) {
    return "; free it with `tower force-release " + lock + "`";
  }

  String line(String mailbox) {
    return new CommandLine("mailbox count").option("--request-id", mailbox).toString();
  }

  Object step(Given given) {
    return permitted(Role.OPERATOR, LockOperations.UNFREEZE, given);
  }

  /** Similar words, which no operation has. */
  String others() {
    return "tower runsheet, tower serve, /var/locks, tower://runs/1, my_acquire_lock_2" + new CommandLine("serve");
  }

  private static Object permitted(Role role, Operation operation, Given given) {
    return role + operation.id() + given + TOOL;
  }
}
