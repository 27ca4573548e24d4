package fleet.tower.service.call.mailbox;

import org.jspecify.annotations.Nullable;

import fleet.tower.access.Caller;
import fleet.tower.access.Role;
import fleet.tower.answer.Answer;
import fleet.tower.answer.Enveloped;
import fleet.tower.answer.MailboxActions;
import fleet.tower.answer.MailboxJson;
import fleet.tower.mailbox.MailboxCommand;
import fleet.tower.mailbox.MailboxName;
import fleet.tower.mailbox.MailboxOutcome;
import fleet.tower.mailbox.Mailboxes;
import fleet.tower.mailbox.Receipt;
import fleet.tower.mailbox.Visibility;
import fleet.tower.service.call.AnyJson;
import fleet.tower.service.call.AnyText;
import fleet.tower.service.call.Body;
import fleet.tower.service.call.Needs;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.NotNull;

/** Calls by the worker that has the receipt of a message. */
public final class ReceiptCalls {
  private final Mailboxes mailboxes;

  public ReceiptCalls(Mailboxes mailboxes) {
    this.mailboxes = mailboxes;
  }

  /** Every call shows a receipt. */
  public interface OfReceipt extends Body {
    String receiptHandle();
  }

  /** The work is done. */
  public record AckBody(@NotNull String receiptHandle) implements OfReceipt {}

  /** The message goes back to its mailbox. */
  public record NackBody(@NotNull String receiptHandle,
      @Min(0) @Max(Visibility.MAX_SECONDS) @Nullable Long visibilityTimeout, @AnyText @Nullable String error)
      implements
        OfReceipt {}

  /** The message becomes a dead letter. */
  public record RejectBody(@NotNull String receiptHandle, @AnyText @NotNull String error) implements OfReceipt {}

  /** The receipt is valid for longer. */
  public record ExtendBody(@NotNull String receiptHandle,
      @Min(0) @Max(Visibility.MAX_SECONDS) @Nullable Long visibilityTimeout) implements OfReceipt {}

  /** A reply to the sender. */
  public record ReplyBody(@NotNull String receiptHandle, @NotNull AnyJson body, boolean more) implements OfReceipt {}

  /** Removes a message whose work is done. */
  @Needs(Role.AGENT)
  public Answer ack(String name, AckBody body, Caller caller) {
    MailboxName mailbox = MailboxRights.require(caller, name);
    return switch (mailboxes.ack(new MailboxCommand.Ack(mailbox, receipt(body)))) {
      case MailboxOutcome.Acked acked -> Enveloped.ok(MailboxJson.acked(acked));
      case MailboxOutcome.OldReceipt old -> refused(old, mailbox);
    };
  }

  /** Returns a message to its mailbox. */
  @Needs(Role.AGENT)
  public Answer nack(String name, NackBody body, Caller caller) {
    MailboxName mailbox = MailboxRights.require(caller, name);
    return switch (mailboxes.nack(new MailboxCommand.Nack(mailbox, receipt(body),
        visibility(body.visibilityTimeout(), Visibility.NONE), body.error()))) {
      case MailboxOutcome.Returned returned -> Enveloped.ok(MailboxJson.returned(returned));
      case MailboxOutcome.OldReceipt old -> refused(old, mailbox);
    };
  }

  /** Makes a message a dead letter. */
  @Needs(Role.AGENT)
  public Answer reject(String name, RejectBody body, Caller caller) {
    MailboxName mailbox = MailboxRights.require(caller, name);
    MailboxCommand.Reject reject = new MailboxCommand.Reject(mailbox, receipt(body), body.error());
    return switch (mailboxes.reject(reject, caller.actor())) {
      case MailboxOutcome.Rejected(var letter) -> Enveloped.ok(MailboxJson.deadLetter(letter));
      case MailboxOutcome.OldReceipt old -> refused(old, mailbox);
    };
  }

  /** Renews a receipt. */
  @Needs(Role.AGENT)
  public Answer extend(String name, ExtendBody body, Caller caller) {
    MailboxName mailbox = MailboxRights.require(caller, name);
    return switch (mailboxes.extend(
        new MailboxCommand.Extend(mailbox, receipt(body), visibility(body.visibilityTimeout(), Visibility.DEFAULT)))) {
      case MailboxOutcome.Extended extended -> Enveloped.ok(MailboxJson.extended(extended));
      case MailboxOutcome.OldReceipt old -> refused(old, mailbox);
    };
  }

  /**
   * Replies to a message, and removes it unless more replies follow. The sender has named the mailbox of the replies,
   * so the caller need not be allowed to use that one.
   */
  @Needs(Role.AGENT)
  public Answer reply(String name, ReplyBody body, Caller caller) {
    MailboxName mailbox = MailboxRights.require(caller, name);
    MailboxCommand.Reply reply = new MailboxCommand.Reply(mailbox, receipt(body),
        new fleet.tower.mailbox.MessageBody(body.body().raw()), !body.more());
    return switch (mailboxes.reply(reply)) {
      case MailboxOutcome.Replied replied -> Enveloped.ok(MailboxJson.replied(replied));
      case MailboxOutcome.OldReceipt old -> refused(old, mailbox);
      case MailboxOutcome.Full full -> refused(full, full.mailbox());
      case MailboxOutcome.NoReplyAddress nowhere -> MailboxProblems.of(nowhere, mailbox)
          .next(MailboxActions.unanswerable(mailbox, receipt(body)));
    };
  }

  private static Answer refused(MailboxOutcome.Refusal refusal, MailboxName mailbox) {
    return MailboxProblems.of(refusal, mailbox);
  }

  private static Receipt receipt(OfReceipt body) {
    return Receipt.of(body.receiptHandle());
  }

  /** A time in seconds, from zero to twelve hours. */
  static Visibility visibility(@Nullable Long seconds, Visibility otherwise) {
    return seconds == null ? otherwise : new Visibility(seconds);
  }
}
