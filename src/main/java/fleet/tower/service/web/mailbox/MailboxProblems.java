package fleet.tower.service.web.mailbox;

import fleet.tower.cli.reply.ErrorCode;
import fleet.tower.cli.reply.MailboxJson;
import fleet.tower.cli.reply.MailboxText;
import fleet.tower.lease.RequestId;
import fleet.tower.mailbox.MailboxName;
import fleet.tower.mailbox.MailboxOutcome;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.service.web.http.Problem;

/** Translates refusals about mailboxes to HTTP. */
final class MailboxProblems {
  private static final String GET = "GET";
  private static final String POST = "POST";

  private MailboxProblems() {}

  static String path(MailboxName mailbox) {
    return "/mailboxes/" + mailbox;
  }

  static Problem of(MailboxOutcome.Refusal refusal, MailboxName mailbox) {
    return next(Problem.of(MailboxText.code(refusal), MailboxText.message(refusal),
        MailboxJson.context(refusal).put("suggestion", MailboxText.suggestion(refusal))), refusal, mailbox);
  }

  private static Problem next(Problem problem, MailboxOutcome.Refusal refusal, MailboxName mailbox) {
    String path = path(mailbox);
    return switch (refusal) {
      case MailboxOutcome.IdTaken _ -> problem;
      case MailboxOutcome.Full _ -> problem.header("Retry-After", "1").next(GET, path, "tower mailbox count " + mailbox,
          "see how far the workers are");
      case MailboxOutcome.NoReplyAddress _ -> problem.next(POST, path + "/ack",
          "tower mailbox ack " + mailbox + " RECEIPT", "acknowledge it without a reply");
      case MailboxOutcome.NoDeadLetter _ -> dead(problem, mailbox);
      case MailboxOutcome.OldReceipt(var _, MailboxOutcome.Reason reason) -> switch (reason) {
        case DEAD -> dead(problem, mailbox);
        case EXPIRED, PASSED_ON, GONE -> problem.next(POST, path + "/receive", "tower mailbox receive " + mailbox,
            "receive the next one");
      };
    };
  }

  private static Problem dead(Problem problem, MailboxName mailbox) {
    return problem.next(GET, path(mailbox) + "/dead", "tower mailbox dead " + mailbox, "see its dead letters");
  }

  /** No call waits under this request id. */
  static Problem notWaiting(MailboxName mailbox, RequestId by) {
    return Problem.of(ErrorCode.NOT_WAITING,
        "request " + by + " does not wait here for a message in mailbox " + mailbox,
        JsonWriter.line().put("mailbox", mailbox.value()).put("request_id", by.value())
            .put("suggestion",
                "messages leased to it are in its answer; return them with POST " + path(mailbox) + "/nack"));
  }
}
