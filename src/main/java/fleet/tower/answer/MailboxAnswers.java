package fleet.tower.answer;

import java.util.List;
import java.util.Map;

import fleet.tower.lease.RequestId;
import fleet.tower.mailbox.MailboxCommand;
import fleet.tower.mailbox.MailboxName;
import fleet.tower.mailbox.MailboxOutcome;
import fleet.tower.mailbox.MailboxOutcome.Full.Bound;
import fleet.tower.mailbox.MailboxOutcome.Reason;
import fleet.tower.mailbox.MailboxStore.Count;
import fleet.tower.mailbox.Message;
import fleet.tower.mailbox.MessageId;
import fleet.tower.mailbox.Receipt;
import fleet.tower.operation.Given;
import fleet.tower.operation.MailboxCallOutcome;
import fleet.tower.operation.MailboxOperations;
import fleet.tower.platform.ErrorCode;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.platform.list.Cursor;
import fleet.tower.platform.list.Page.Placed;

/** What came of requests about mailboxes and messages, as answers. */
final class MailboxAnswers {
  private static final int CONFLICT = 409;
  private static final String MAILBOX = "mailbox";
  private static final String ACKNOWLEDGE = "acknowledge it without a reply";
  private static final String SUGGESTION = "suggestion";

  private MailboxAnswers() {}

  /** The answer to a request. */
  static Answer of(MailboxCallOutcome result) {
    return switch (result) {
      case MailboxCallOutcome.Performed(MailboxCommand command, MailboxOutcome outcome) -> performed(command, outcome);
      case MailboxCallOutcome.Withdrawn(MailboxName mailbox, RequestId by, boolean isWithdrawn) -> isWithdrawn
          ? Answer.ok(JsonWriter.line().put(MAILBOX, mailbox.value()).put("request_id", by.value())
              .put("withdrawn", true))
          : notWaiting(mailbox, by);
      case MailboxCallOutcome.Counted(Count count) -> Answer.ok(MailboxJson.count(count));
      case MailboxCallOutcome.Listed(var counts) -> new Answer.Listing("mailboxes", JsonWriter.line(), null,
          reader -> counts.stream().map(count -> new Placed<>(MailboxJson.count(count), Cursor.of(count.mailbox())))
              .takeWhile(reader).forEach(_ -> {}));
      case MailboxCallOutcome.DeadLetters(MailboxCallOutcome.Letters letters) -> new Answer.Listing("dead_letters",
          JsonWriter.line(), null, reader -> letters
              .read(letter -> reader.test(new Placed<>(MailboxJson.deadLetter(letter), Cursor.of(letter.id())))));
      case MailboxCallOutcome.Purged(MailboxName mailbox, long messages) ->
        Answer.ok(JsonWriter.line().put(MAILBOX, mailbox.value()).put("purged", messages));
    };
  }

  private static Answer performed(MailboxCommand command, MailboxOutcome outcome) {
    return switch (outcome) {
      case MailboxOutcome.Sent(Message message, boolean replayed) -> {
        JsonWriter sent = MailboxJson.message(message).put("replayed", replayed);
        yield replayed
            ? new Answer.Done(Answer.OK, Map.of("Idempotency-Replayed", "true"), sent)
            : Answer.created(sent);
      }
      case MailboxOutcome.Received(var deliveries, var _) -> Answer.ok(JsonWriter.line().list("messages",
          deliveries.stream().map(delivery -> MailboxJson.delivery(delivery).end()).toList()));
      case MailboxOutcome.Acked(MessageId id) ->
        Answer.ok(JsonWriter.line().put("id", id.value()).put("acknowledged", true));
      case MailboxOutcome.Returned returned ->
        Answer.ok(JsonWriter.line().put("id", returned.id().value()).put("visible_at", returned.visibleAt()));
      case MailboxOutcome.Extended extended -> Answer.ok(JsonWriter.line().put("id", extended.id().value())
          .put("visible_at", extended.visibleAt()).put("remaining_seconds", extended.remaining().toSeconds()));
      case MailboxOutcome.Rejected(Message.DeadLetter letter) -> Answer.ok(MailboxJson.deadLetter(letter));
      case MailboxOutcome.Replied(Message reply, boolean isLast) -> Answer
          .ok(JsonWriter.line().put("reply", MailboxJson.message(reply)).put("acknowledged", isLast));
      case MailboxOutcome.Revived(MailboxName mailbox, long messages) ->
        Answer.ok(JsonWriter.line().put(MAILBOX, mailbox.value()).put("revived", messages));
      case MailboxOutcome.Refusal refusal -> refused(command, refusal);
    };
  }

  private static Problem refused(MailboxCommand command, MailboxOutcome.Refusal refusal) {
    MailboxName mailbox = command.mailbox();
    return switch (refusal) {
      case MailboxOutcome.IdTaken(MessageId id) -> problem(ErrorCode.MESSAGE_EXISTS,
          "another message " + id + " already exists", JsonWriter.line().put("message_id", id.value()),
          "send it with a new id; an id always means the same message", List.of(count(mailbox)));
      case MailboxOutcome.Full full -> full(full);
      case MailboxOutcome.NoReplyAddress(MessageId id) -> problem(ErrorCode.REPLY_NOT_AVAILABLE,
          "message " + id + " was sent without a reply_to", JsonWriter.line().put("message_id", id.value()),
          ACKNOWLEDGE, unanswerable(command));
      case MailboxOutcome.NoDeadLetter(MailboxName of, MessageId id) -> problem(ErrorCode.DEAD_LETTER_NOT_FOUND,
          "mailbox " + of + " has no dead letter " + id + " that could be delivered; nothing was revived",
          JsonWriter.line().put(MAILBOX, of.value()).put("message_id", id.value()),
          "list the dead letters", List.of(dead(of)));
      case MailboxOutcome.OldReceipt(Receipt receipt, Reason reason) -> old(mailbox, receipt, reason);
    };
  }

  private static Problem full(MailboxOutcome.Full full) {
    MailboxName mailbox = full.mailbox();
    long most = full.most();
    return problem(ErrorCode.MAILBOX_FULL, "mailbox " + mailbox + switch (full.bound()) {
      case LIMIT -> " already has its maximum of " + most + (most == 1 ? " message" : " messages");
      case MESSAGES -> " has as many messages and dead letters as a mailbox may have: " + most;
      case BYTES -> " has no room for the message: its messages and dead letters may have " + most + " bytes";
    }, JsonWriter.line().put(MAILBOX, mailbox.value()).put("limit", most)
        .put("unit", full.bound() == Bound.BYTES ? "bytes" : "messages"),
        "retry when the mailbox has room" + (full.bound() == Bound.LIMIT
            ? ""
            : "; a purge deletes what nobody will receive"),
        List.of(Remedy.again("send it again when there is room"), count(mailbox))).header("Retry-After", "1");
  }

  private static Problem old(MailboxName mailbox, Receipt receipt, Reason reason) {
    String word = switch (reason) {
      case EXPIRED -> "expired";
      case PASSED_ON -> "passed_on";
      case DEAD -> "dead";
      case GONE -> "gone";
    };
    return problem(ErrorCode.RECEIPT_HANDLE_EXPIRED,
        "message " + receipt.message() + " is no longer yours: " + reason.describe(),
        JsonWriter.line().put("message_id", receipt.message().value()).put("receipt_handle", receipt.handle())
            .put("reason", word),
        switch (reason) {
          case EXPIRED, PASSED_ON ->
            "stop working on it; another worker may receive it; receive with a longer visibility timeout,"
                + " or extend it while you work";
          case DEAD -> "stop working on it; it is a dead letter of its mailbox now";
          case GONE -> "do nothing if you acknowledged it; otherwise stop working on it";
        }, List.of(reason == Reason.DEAD
            ? dead(mailbox)
            : Remedy.ask(MailboxOperations.RECEIVE, of(mailbox), "receive the next one")));
  }

  private static Problem problem(ErrorCode code, String detail, JsonWriter members, String suggestion,
      List<Remedy> remedies) {
    return Problem.of(code, detail, members.put(SUGGESTION, suggestion)).next(remedies);
  }

  /** No call waits under this request id. */
  private static Problem notWaiting(MailboxName mailbox, RequestId by) {
    return problem(ErrorCode.NOT_WAITING, "request " + by + " does not wait here for a message in mailbox " + mailbox,
        JsonWriter.line().put(MAILBOX, mailbox.value()).put("request_id", by.value()),
        "messages leased to it are in its answer; return those that nobody works on",
        List.of(count(mailbox)));
  }

  /** The answer to a client that gave up its wait. */
  static Problem givenUp(String mailbox) {
    return Problem.of(CONFLICT, ErrorCode.CANCELLED, "waiting for a message in mailbox " + mailbox + " was cancelled",
        "");
  }

  private static List<Remedy> unanswerable(MailboxCommand command) {
    MailboxName mailbox = command.mailbox();
    if (!(command instanceof MailboxCommand.ByReceipt shown)) {
      return List.of(count(mailbox));
    }
    return List.of(Remedy.ask(MailboxOperations.ACK,
        of(mailbox).with(MailboxOperations.RECEIPT, shown.receipt().handle()), ACKNOWLEDGE),
        count(mailbox));
  }

  private static Remedy count(MailboxName mailbox) {
    return Remedy.ask(MailboxOperations.VIEW, of(mailbox), "count its messages");
  }

  private static Remedy dead(MailboxName mailbox) {
    return Remedy.ask(MailboxOperations.DEAD, of(mailbox), "see its dead letters");
  }

  private static Given of(MailboxName mailbox) {
    return Given.NOTHING.with(MailboxOperations.MAILBOX, mailbox.value());
  }
}
