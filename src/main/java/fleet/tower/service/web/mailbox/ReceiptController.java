package fleet.tower.service.web.mailbox;

import org.jspecify.annotations.Nullable;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

import fleet.tower.access.Caller;
import fleet.tower.access.Role;
import fleet.tower.cli.reply.MailboxActions;
import fleet.tower.cli.reply.MailboxJson;
import fleet.tower.mailbox.MailboxCommand;
import fleet.tower.mailbox.MailboxName;
import fleet.tower.mailbox.MailboxOutcome;
import fleet.tower.mailbox.Mailboxes;
import fleet.tower.mailbox.Receipt;
import fleet.tower.mailbox.Visibility;
import fleet.tower.service.web.call.Enveloped;
import fleet.tower.service.web.http.AnyJson;
import fleet.tower.service.web.http.AnyText;
import fleet.tower.service.web.http.Body;
import fleet.tower.service.web.http.Needs;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.NotNull;

/** Calls by the worker that has the receipt of a message. */
@RestController
@RequestMapping(path = "/mailboxes/{mailbox}", produces = MediaType.APPLICATION_JSON_VALUE)
final class ReceiptController {
  private static final String MAILBOX = "mailbox";

  private final Mailboxes mailboxes;

  ReceiptController(Mailboxes mailboxes) {
    this.mailboxes = mailboxes;
  }

  /** Every call shows a receipt. */
  interface OfReceipt extends Body {
    String receiptHandle();
  }

  record AckBody(@NotNull String receiptHandle) implements OfReceipt {}

  record NackBody(@NotNull String receiptHandle,
      @Min(0) @Max(Visibility.MAX_SECONDS) @Nullable Long visibilityTimeout, @AnyText @Nullable String error)
      implements
        OfReceipt {}

  record RejectBody(@NotNull String receiptHandle, @AnyText @NotNull String error) implements OfReceipt {}

  record ExtendBody(@NotNull String receiptHandle,
      @Min(0) @Max(Visibility.MAX_SECONDS) @Nullable Long visibilityTimeout) implements OfReceipt {}

  record ReplyBody(@NotNull String receiptHandle, @NotNull AnyJson body, boolean more) implements OfReceipt {}

  @Needs(Role.AGENT)
  @PostMapping("/ack")
  ResponseEntity<byte[]> ack(@PathVariable(MAILBOX) String name, AckBody body) {
    MailboxName mailbox = new MailboxName(name);
    return switch (mailboxes.ack(new MailboxCommand.Ack(mailbox, receipt(body)))) {
      case MailboxOutcome.Acked acked -> Enveloped.ok(MailboxJson.acked(acked));
      case MailboxOutcome.OldReceipt old -> refused(old, mailbox);
    };
  }

  @Needs(Role.AGENT)
  @PostMapping("/nack")
  ResponseEntity<byte[]> nack(@PathVariable(MAILBOX) String name, NackBody body) {
    MailboxName mailbox = new MailboxName(name);
    return switch (mailboxes.nack(new MailboxCommand.Nack(mailbox, receipt(body),
        visibility(body.visibilityTimeout(), Visibility.NONE), body.error()))) {
      case MailboxOutcome.Returned returned -> Enveloped.ok(MailboxJson.returned(returned));
      case MailboxOutcome.OldReceipt old -> refused(old, mailbox);
    };
  }

  @Needs(Role.AGENT)
  @PostMapping("/reject")
  ResponseEntity<byte[]> reject(@PathVariable(MAILBOX) String name, RejectBody body, Caller caller) {
    MailboxName mailbox = new MailboxName(name);
    MailboxCommand.Reject reject = new MailboxCommand.Reject(mailbox, receipt(body), body.error());
    return switch (mailboxes.reject(reject, caller.actor())) {
      case MailboxOutcome.Rejected(var letter) -> Enveloped.ok(MailboxJson.deadLetter(letter));
      case MailboxOutcome.OldReceipt old -> refused(old, mailbox);
    };
  }

  @Needs(Role.AGENT)
  @PostMapping("/extend")
  ResponseEntity<byte[]> extend(@PathVariable(MAILBOX) String name, ExtendBody body) {
    MailboxName mailbox = new MailboxName(name);
    return switch (mailboxes.extend(
        new MailboxCommand.Extend(mailbox, receipt(body), visibility(body.visibilityTimeout(), Visibility.DEFAULT)))) {
      case MailboxOutcome.Extended extended -> Enveloped.ok(MailboxJson.extended(extended));
      case MailboxOutcome.OldReceipt old -> refused(old, mailbox);
    };
  }

  @Needs(Role.AGENT)
  @PostMapping("/reply")
  ResponseEntity<byte[]> reply(@PathVariable(MAILBOX) String name, ReplyBody body) {
    MailboxName mailbox = new MailboxName(name);
    MailboxCommand.Reply reply = new MailboxCommand.Reply(mailbox, receipt(body),
        new fleet.tower.mailbox.Body(body.body().raw()), !body.more());
    return switch (mailboxes.reply(reply)) {
      case MailboxOutcome.Replied replied -> Enveloped.ok(MailboxJson.replied(replied));
      case MailboxOutcome.OldReceipt old -> refused(old, mailbox);
      case MailboxOutcome.NoReplyAddress nowhere -> MailboxProblems.of(nowhere, mailbox)
          .next(MailboxActions.unanswerable(mailbox, receipt(body))).answer();
    };
  }

  private static ResponseEntity<byte[]> refused(MailboxOutcome.Refusal refusal, MailboxName mailbox) {
    return MailboxProblems.of(refusal, mailbox).answer();
  }

  private static Receipt receipt(OfReceipt body) {
    return Receipt.of(body.receiptHandle());
  }

  /** A time in seconds, from zero to twelve hours. */
  static Visibility visibility(@Nullable Long seconds, Visibility otherwise) {
    return seconds == null ? otherwise : new Visibility(seconds);
  }
}
