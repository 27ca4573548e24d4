package fleet.tower.cli.server;

import fleet.tower.cli.shell.Exit;
import fleet.tower.cli.shell.Reply;
import fleet.tower.mailbox.MailboxJson;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.task.TaskJson;

/** What a service refuses, as the command line tells it. */
final class Problems {
  private Problems() {}

  /** The answer made of a problem document. */
  static Reply reply(JsonObject problem) {
    String code = problem.text("error").orElse("internal_error");
    JsonWriter context = JsonWriter.line();
    problem.members().forEach((name, value) -> context.raw(name, problem.raw(value)));
    Reply reply = Reply.failure(exit(code, problem), code,
        problem.text("detail").or(() -> problem.text("title")).orElse(code), suggestion(problem), context);
    if (problem.items("errors").size() > 1) {
      problem.objects("errors").forEach(
          error -> reply.words("  " + error.text("pointer").orElse("") + " " + error.text("message").orElse("")));
    }
    return reply;
  }

  private static String suggestion(JsonObject problem) {
    if (problem.text("error").filter(code -> TaskJson.isRefusal(code) || MailboxJson.isRefusal(code))
        .isPresent()) {
      return problem.text("suggestion").orElse("");
    }
    String command = problem.objects("next_actions").stream().findFirst()
        .map(first -> first.text("why").map(why -> why + ": ").orElse("") + first.text("command").orElse(""))
        .orElse("");
    return command.isEmpty() ? problem.text("suggestion").orElse("") : command;
  }

  private static Exit exit(String code, JsonObject problem) {
    return switch (code) {
      case "lock_blocked", "lock_wait_timeout", "too_many_waiters", "lock_frozen", "foreign_lock",
          "claim_contention", "dependencies_open", "mailbox_full" ->
        Exit.HELD;
      case "lock_not_found", "not_frozen", "run_not_found", "intent_not_found", "task_not_found",
          "unknown_dependency", "dead_letter_not_found" ->
        Exit.NOT_FOUND;
      case "not_lock_owner" -> Exit.NOT_OWNER;
      case "claim_not_owned" -> TaskJson.isLoss(problem.text("reason").orElse("")) ? Exit.LOST : Exit.NOT_OWNER;
      case "lock_stale" -> Exit.STALE;
      case "lock_lost", "receipt_handle_expired" -> Exit.LOST;
      case "invalid_lock_name", "invalid_params", "invalid_request", "idempotency_mismatch" -> Exit.USAGE;
      case "storage_unavailable", "shutting_down" -> Exit.UNAVAILABLE;
      default -> Exit.FAILED;
    };
  }
}
