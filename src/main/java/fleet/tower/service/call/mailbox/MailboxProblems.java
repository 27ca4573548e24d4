package fleet.tower.service.call.mailbox;

import java.util.List;

import fleet.tower.answer.MailboxActions;
import fleet.tower.answer.MailboxJson;
import fleet.tower.answer.MailboxText;
import fleet.tower.answer.Problem;
import fleet.tower.lease.RequestId;
import fleet.tower.mailbox.MailboxName;
import fleet.tower.mailbox.MailboxOutcome;
import fleet.tower.platform.ErrorCode;
import fleet.tower.platform.json.JsonWriter;

/** Translates refusals about mailboxes to problems. */
final class MailboxProblems {
  private MailboxProblems() {}

  static String path(MailboxName mailbox) {
    return "/mailboxes/" + mailbox;
  }

  static Problem of(MailboxOutcome.Refusal refusal, MailboxName mailbox) {
    Problem problem = Problem.of(MailboxText.code(refusal), MailboxText.message(refusal),
        MailboxJson.context(refusal).put("suggestion", MailboxText.suggestion(refusal)))
        .next(MailboxActions.of(refusal, mailbox));
    return refusal instanceof MailboxOutcome.Full ? problem.header("Retry-After", "1") : problem;
  }

  /** No call waits under this request id. */
  static Problem notWaiting(MailboxName mailbox, RequestId by) {
    return Problem.of(ErrorCode.NOT_WAITING,
        "request " + by + " does not wait here for a message in mailbox " + mailbox,
        JsonWriter.line().put("mailbox", mailbox.value()).put("request_id", by.value())
            .put("suggestion",
                "messages leased to it are in its answer; return them with POST " + path(mailbox) + "/nack"))
        .next(List.of(MailboxActions.count(mailbox)));
  }
}
