package fleet.tower.answer;

import fleet.tower.mailbox.MailboxName;
import fleet.tower.mailbox.MailboxOutcome;
import fleet.tower.mailbox.MessageId;
import fleet.tower.mailbox.Receipt;
import fleet.tower.platform.ErrorCode;

/** Refusals of commands about mailboxes in words, with the commands that help. */
public final class MailboxText {
  private MailboxText() {}

  /** The error code of a refusal. */
  public static ErrorCode code(MailboxOutcome.Refusal refusal) {
    return switch (refusal) {
      case MailboxOutcome.IdTaken _ -> ErrorCode.MESSAGE_EXISTS;
      case MailboxOutcome.Full _ -> ErrorCode.MAILBOX_FULL;
      case MailboxOutcome.NoReplyAddress _ -> ErrorCode.REPLY_NOT_AVAILABLE;
      case MailboxOutcome.OldReceipt _ -> ErrorCode.RECEIPT_HANDLE_EXPIRED;
      case MailboxOutcome.NoDeadLetter _ -> ErrorCode.DEAD_LETTER_NOT_FOUND;
    };
  }

  /** The refusal in a sentence. */
  public static String message(MailboxOutcome.Refusal refusal) {
    return switch (refusal) {
      case MailboxOutcome.IdTaken(MessageId id) -> "another message " + id + " already exists";
      case MailboxOutcome.Full(MailboxName mailbox, var bound, long most) -> switch (bound) {
        case LIMIT -> "mailbox " + mailbox + " already has its maximum of " + most
            + (most == 1 ? " message" : " messages");
        case MESSAGES -> "mailbox " + mailbox + " has as many messages and dead letters as a mailbox may have: " + most;
        case BYTES -> "mailbox " + mailbox + " has no room for the message: its messages and dead letters may have "
            + most + " bytes";
      };
      case MailboxOutcome.NoReplyAddress(MessageId id) -> "message " + id + " was sent without a reply_to";
      case MailboxOutcome.OldReceipt(Receipt receipt, MailboxOutcome.Reason reason) -> "message " + receipt.message()
          + " is no longer yours: " + reason.describe();
      case MailboxOutcome.NoDeadLetter(MailboxName mailbox, MessageId id) -> "mailbox " + mailbox
          + " has no dead letter " + id + " that could be delivered; nothing was revived";
    };
  }

  /** The suggestion after a refusal. */
  public static String suggestion(MailboxOutcome.Refusal refusal) {
    return switch (refusal) {
      case MailboxOutcome.IdTaken _ -> "send it with a new id; an id always means the same message";
      case MailboxOutcome.Full(MailboxName mailbox, var bound, long _) -> "retry when the mailbox has room: tower"
          + " mailbox count " + mailbox + (bound == MailboxOutcome.Full.Bound.LIMIT
              ? ""
              : "; tower mailbox purge deletes what nobody will receive");
      case MailboxOutcome.NoReplyAddress _ -> "acknowledge it without a reply: tower mailbox ack";
      case MailboxOutcome.NoDeadLetter(MailboxName mailbox, MessageId _) ->
        "list the dead letters: tower mailbox dead " + mailbox;
      case MailboxOutcome.OldReceipt(Receipt _, MailboxOutcome.Reason reason) -> switch (reason) {
        case EXPIRED, PASSED_ON ->
          "stop working on it; another worker may receive it; receive with a longer visibility timeout,"
              + " or extend it while you work";
        case DEAD -> "stop working on it; look at it with tower mailbox dead";
        case GONE -> "do nothing if you acknowledged it; otherwise stop working on it";
      };
    };
  }
}
