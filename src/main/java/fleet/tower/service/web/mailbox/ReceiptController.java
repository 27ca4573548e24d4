package fleet.tower.service.web.mailbox;

import java.util.Optional;

import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

import fleet.tower.access.Caller;
import fleet.tower.access.Role;
import fleet.tower.cli.reply.MailboxJson;
import fleet.tower.mailbox.MailboxCommand;
import fleet.tower.mailbox.MailboxName;
import fleet.tower.mailbox.MailboxOutcome;
import fleet.tower.mailbox.Mailboxes;
import fleet.tower.mailbox.Receipt;
import fleet.tower.mailbox.Visibility;
import fleet.tower.service.web.call.Enveloped;
import fleet.tower.service.web.http.Body;
import fleet.tower.service.web.http.Needs;

/** Calls by the worker that has the receipt of a message. */
@RestController
@RequestMapping(path = "/mailboxes/{mailbox}", produces = MediaType.APPLICATION_JSON_VALUE)
final class ReceiptController {
  static final String VISIBILITY = "visibility_timeout";
  private static final String MAILBOX = "mailbox";
  private static final String RECEIPT = "receipt_handle";
  private static final String ERROR = "error";

  private final Mailboxes mailboxes;

  ReceiptController(Mailboxes mailboxes) {
    this.mailboxes = mailboxes;
  }

  @Needs(Role.AGENT)
  @PostMapping("/ack")
  ResponseEntity<byte[]> ack(@PathVariable(MAILBOX) String name, Body body) {
    body.allow(RECEIPT);
    MailboxName mailbox = new MailboxName(name);
    return switch (mailboxes.ack(new MailboxCommand.Ack(mailbox, receipt(body)))) {
      case MailboxOutcome.Acked acked -> Enveloped.ok(MailboxJson.acked(acked));
      case MailboxOutcome.OldReceipt old -> refused(old, mailbox);
    };
  }

  @Needs(Role.AGENT)
  @PostMapping("/nack")
  ResponseEntity<byte[]> nack(@PathVariable(MAILBOX) String name, Body body) {
    body.allow(RECEIPT, VISIBILITY, ERROR);
    MailboxName mailbox = new MailboxName(name);
    return switch (mailboxes.nack(new MailboxCommand.Nack(mailbox, receipt(body), visibility(body, Visibility.NONE),
        body.anyText(ERROR).orElse(null)))) {
      case MailboxOutcome.Returned returned -> Enveloped.ok(MailboxJson.returned(returned));
      case MailboxOutcome.OldReceipt old -> refused(old, mailbox);
    };
  }

  @Needs(Role.AGENT)
  @PostMapping("/reject")
  ResponseEntity<byte[]> reject(@PathVariable(MAILBOX) String name, Body body, Caller caller) {
    body.allow(RECEIPT, ERROR);
    MailboxName mailbox = new MailboxName(name);
    MailboxCommand.Reject reject = new MailboxCommand.Reject(mailbox, receipt(body),
        body.anyText(ERROR).orElseGet(() -> body.required(ERROR)));
    return switch (mailboxes.reject(reject, caller.actor())) {
      case MailboxOutcome.Rejected(var letter) -> Enveloped.ok(MailboxJson.deadLetter(letter));
      case MailboxOutcome.OldReceipt old -> refused(old, mailbox);
    };
  }

  @Needs(Role.AGENT)
  @PostMapping("/extend")
  ResponseEntity<byte[]> extend(@PathVariable(MAILBOX) String name, Body body) {
    body.allow(RECEIPT, VISIBILITY);
    MailboxName mailbox = new MailboxName(name);
    return switch (mailboxes.extend(
        new MailboxCommand.Extend(mailbox, receipt(body), visibility(body, Visibility.DEFAULT)))) {
      case MailboxOutcome.Extended extended -> Enveloped.ok(MailboxJson.extended(extended));
      case MailboxOutcome.OldReceipt old -> refused(old, mailbox);
    };
  }

  @Needs(Role.AGENT)
  @PostMapping("/reply")
  ResponseEntity<byte[]> reply(@PathVariable(MAILBOX) String name, Body body) {
    body.allow(RECEIPT, "body", "more");
    MailboxName mailbox = new MailboxName(name);
    MailboxCommand.Reply reply = new MailboxCommand.Reply(mailbox, receipt(body),
        new fleet.tower.mailbox.Body(body.json("body")), !body.flag("more"));
    return switch (mailboxes.reply(reply)) {
      case MailboxOutcome.Replied replied -> Enveloped.ok(MailboxJson.replied(replied));
      case MailboxOutcome.OldReceipt old -> refused(old, mailbox);
      case MailboxOutcome.NoReplyAddress nowhere -> refused(nowhere, mailbox);
    };
  }

  private static ResponseEntity<byte[]> refused(MailboxOutcome.Refusal refusal, MailboxName mailbox) {
    return MailboxProblems.of(refusal, mailbox).answer();
  }

  private static Receipt receipt(Body body) {
    return Receipt.of(body.required(RECEIPT));
  }

  /** A time in seconds, from zero to twelve hours. */
  static Visibility visibility(Body body, Visibility otherwise) {
    Optional<Long> seconds = body.integer(VISIBILITY, 0, Visibility.MAX_SECONDS);
    return seconds.map(Visibility::new).orElse(otherwise);
  }
}
