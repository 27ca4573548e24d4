package fleet.tower.cli.mailbox;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import fleet.tower.answer.Failures;
import fleet.tower.answer.MailboxActions;
import fleet.tower.answer.MailboxJson;
import fleet.tower.answer.MailboxText;
import fleet.tower.answer.Reply;
import fleet.tower.answer.Table;
import fleet.tower.mailbox.MailboxName;
import fleet.tower.mailbox.MailboxOutcome;
import fleet.tower.mailbox.MailboxStore;
import fleet.tower.mailbox.Message;
import fleet.tower.mailbox.MessageBody;
import fleet.tower.platform.Exit;
import fleet.tower.platform.time.Timestamps;

/** The command line's answers about messages. */
final class MailboxReplies {
  private static final int LONGEST_TEXT = 60;

  private MailboxReplies() {}

  static Reply reply(MailboxOutcome outcome, MailboxName mailbox) {
    return switch (outcome) {
      case MailboxOutcome.Sent sent -> sent(sent);
      case MailboxOutcome.Received received -> deliveries(received, Exit.DONE);
      case MailboxOutcome.Acked acked -> Reply.lazily(Exit.DONE, () -> MailboxJson.acked(acked))
          .words("message " + acked.id() + " acknowledged");
      case MailboxOutcome.Returned returned -> Reply.lazily(Exit.DONE, () -> MailboxJson.returned(returned))
          .words(
              "message " + returned.id() + " is available again from " + Timestamps.format(returned.visibleAt()) + "");
      case MailboxOutcome.Rejected(Message.DeadLetter letter) ->
        Reply.lazily(Exit.DONE, () -> MailboxJson.deadLetter(letter))
            .words("message " + letter.id() + " is a dead letter");
      case MailboxOutcome.Extended extended -> Reply.lazily(Exit.DONE, () -> MailboxJson.extended(extended))
          .words("message " + extended.id() + " is yours until " + Timestamps.format(extended.visibleAt()));
      case MailboxOutcome.Replied replied -> replied(replied);
      case MailboxOutcome.Revived revived -> Reply.lazily(Exit.DONE, () -> MailboxJson.revived(revived))
          .data(Long.toString(revived.messages()))
          .words(some(revived.messages(), "dead letter") + " of mailbox " + revived.mailbox() + " revived");
      case MailboxOutcome.Refusal refusal -> refused(refusal, mailbox);
    };
  }

  private static Reply refused(MailboxOutcome.Refusal refusal, MailboxName mailbox) {
    return Failures.of(MailboxText.code(refusal), MailboxText.message(refusal), MailboxText.suggestion(refusal),
        MailboxJson.context(refusal)).next(MailboxActions.of(refusal, mailbox));
  }

  private static Reply sent(MailboxOutcome.Sent sent) {
    Message message = sent.message();
    return Reply.lazily(Exit.DONE, () -> MailboxJson.sent(sent)).data(message.id().value())
        .words("message " + message.id() + (sent.replayed()
            ? " was already sent to mailbox " + message.mailbox() + "; nothing was done"
            : " is in mailbox " + message.mailbox()));
  }

  private static Reply replied(MailboxOutcome.Replied replied) {
    Message answer = replied.reply();
    return Reply.lazily(Exit.DONE, () -> MailboxJson.replied(replied)).data(answer.id().value())
        .words("reply " + answer.id() + " is in mailbox " + answer.mailbox() + ", and message "
            + answer.inReplyTo() + (replied.isLast() ? " is acknowledged" : " is still yours"));
  }

  /** An empty mailbox is not a failure, but scripts see it by the exit code. */
  static Reply received(MailboxName mailbox, MailboxOutcome.Received received) {
    return received.deliveries().isEmpty()
        ? deliveries(received, Exit.NOT_FOUND).words("no message is available in mailbox " + mailbox)
        : deliveries(received, Exit.DONE);
  }

  /** One line per message: the receipt, a space, the body. */
  private static Reply deliveries(MailboxOutcome.Received received, Exit exit) {
    Reply reply = Reply.lazily(exit, () -> MailboxJson.received(received));
    for (Message.Delivery delivery : received.deliveries()) {
      Message message = delivery.message();
      MailboxName replyTo = message.replyTo();
      reply.data(delivery.receipt().handle() + " " + shown(message.body()))
          .words("message " + message.id() + " is yours until " + Timestamps.format(delivery.visibleAt())
              + " (delivery " + delivery.count() + ")"
              + (replyTo == null ? "" : "; " + replyTo + " expects the reply"));
    }
    return reply;
  }

  /** Text as it is; anything else as JSON on one line. */
  private static String shown(MessageBody body) {
    return body.text().orElseGet(() -> body.json().replace('\n', ' ').replace('\r', ' '));
  }

  static Reply purged(MailboxName mailbox, long messages, String what) {
    return Reply.of(Exit.DONE, MailboxJson.purged(mailbox, messages)).data(Long.toString(messages))
        .words(some(messages, what) + " of mailbox " + mailbox + " deleted");
  }

  private static String some(long number, String what) {
    return number + " " + what + (number == 1 ? "" : "s");
  }

  /** The table of mailboxes. */
  static List<String> table(List<MailboxStore.Count> counts) {
    List<List<String>> rows = new ArrayList<>();
    rows.add(List.of("MAILBOX", "MESSAGES", "READY", "LEASED", "DELAYED", "DEAD"));
    counts.forEach(count -> rows.add(List.of(count.mailbox().value(), Long.toString(count.messages()),
        Long.toString(count.ready()), Long.toString(count.leased()), Long.toString(count.delayed()),
        Long.toString(count.dead()))));
    return Table.lines(rows);
  }

  /** The table of dead letters, with the beginning of each body. */
  static List<String> deadTable(List<Message.DeadLetter> letters) {
    List<List<String>> rows = new ArrayList<>();
    rows.add(List.of("MESSAGE", "CAUSE", "DELIVERIES", "DEAD SINCE", "LAST ERROR", "BODY"));
    letters.forEach(letter -> rows.add(List.of(letter.id().value(), letter.cause().toString(),
        Long.toString(letter.deliveryCount()), Timestamps.format(letter.deadAt()),
        brief(Optional.ofNullable(letter.lastError()).orElse("")), brief(letter.raw()))));
    return Table.lines(rows);
  }

  private static String brief(String text) {
    String line = text.replaceAll("\\s+", " ");
    return line.length() <= LONGEST_TEXT ? line : line.substring(0, LONGEST_TEXT - 1) + "…";
  }
}
