package fleet.tower.answer;

import java.time.Instant;
import java.util.List;

import org.jspecify.annotations.Nullable;

import fleet.tower.mailbox.MailboxName;
import fleet.tower.mailbox.MailboxOutcome;
import fleet.tower.mailbox.MailboxStore;
import fleet.tower.mailbox.Message;
import fleet.tower.mailbox.MessageId;
import fleet.tower.mailbox.Receipt;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.platform.list.Rows;

/** Mailboxes and messages as JSON, the same at both doors. */
public final class MailboxJson {
  /** The member that lists dead letters. */
  public static final String DEAD_LETTERS = "dead_letters";

  private MailboxJson() {}

  /** A message as it was sent. */
  public static JsonWriter message(Message message) {
    JsonWriter json = JsonWriter.line().put("id", message.id().value()).put("mailbox", message.mailbox().value())
        .raw("body", message.body().json()).put("enqueued_at", message.enqueuedAt())
        .put("reply_to", text(message.replyTo()));
    MessageId answered = message.inReplyTo();
    return answered == null ? json : json.put("in_reply_to", answered.value());
  }

  /** A message for its worker. */
  public static JsonWriter delivery(Message.Delivery delivery) {
    return message(delivery.message()).put("receipt_handle", delivery.receipt().handle())
        .put("delivery_count", delivery.count()).put("visible_at", delivery.visibleAt());
  }

  /** The messages that a worker received. */
  public static JsonWriter received(MailboxOutcome.Received received) {
    return JsonWriter.line().list("messages",
        received.deliveries().stream().map(delivery -> delivery(delivery).end()).toList());
  }

  /** A dead letter; a body that is not JSON is given as its stored text. */
  public static JsonWriter deadLetter(Message.DeadLetter letter) {
    boolean isReadable = letter.cause() != Message.Cause.UNREADABLE;
    JsonWriter json = JsonWriter.line().put("id", letter.id().value()).put("mailbox", letter.mailbox().value())
        .raw("body", isReadable ? letter.raw() : JsonWriter.quote(letter.raw()))
        .put("reply_to", text(letter.replyTo())).put("delivery_count", letter.deliveryCount())
        .put("cause", letter.cause().toString()).put("last_error", letter.lastError())
        .put("enqueued_at", letter.enqueuedAt());
    Instant first = letter.firstReceivedAt();
    return (first == null ? json.put("first_received_at", (String) null) : json.put("first_received_at", first))
        .put("dead_lettered_at", letter.deadAt());
  }

  /** The number of messages in a mailbox; {@code messages} excludes dead letters. */
  public static JsonWriter count(MailboxStore.Count count) {
    return JsonWriter.line().put("mailbox", count.mailbox().value()).put("messages", count.messages())
        .put("ready", count.ready()).put("leased", count.leased()).put("delayed", count.delayed())
        .put("dead", count.dead());
  }

  /** A message was sent. */
  public static JsonWriter sent(MailboxOutcome.Sent sent) {
    return message(sent.message()).put("replayed", sent.replayed());
  }

  /** A message was returned. */
  public static JsonWriter returned(MailboxOutcome.Returned returned) {
    return JsonWriter.line().put("id", returned.id().value()).put("visible_at", returned.visibleAt());
  }

  /** A lease was extended. */
  public static JsonWriter extended(MailboxOutcome.Extended extended) {
    return JsonWriter.line().put("id", extended.id().value()).put("visible_at", extended.visibleAt())
        .put("remaining_seconds", extended.remaining().toSeconds());
  }

  /** A message was acknowledged. */
  public static JsonWriter acked(MailboxOutcome.Acked acked) {
    return JsonWriter.line().put("id", acked.id().value()).put("acknowledged", true);
  }

  /** Messages, or dead letters, were purged. */
  public static JsonWriter purged(MailboxName mailbox, long messages) {
    return JsonWriter.line().put("mailbox", mailbox.value()).put("purged", messages);
  }

  /** Dead letters were revived. */
  public static JsonWriter revived(MailboxOutcome.Revived revived) {
    return JsonWriter.line().put("mailbox", revived.mailbox().value()).put("revived", revived.messages());
  }

  /** Several mailboxes. */
  public static JsonWriter counts(List<MailboxStore.Count> counts) {
    return JsonWriter.line().list("mailboxes", counts.stream().map(count -> count(count).end()).toList());
  }

  /** The dead letters of a mailbox. */
  public static JsonWriter deadLetters(Rows<Message.DeadLetter> letters) {
    return letters.json(DEAD_LETTERS, MailboxJson::deadLetter);
  }

  /** A message was answered. */
  public static JsonWriter replied(MailboxOutcome.Replied replied) {
    return JsonWriter.line().put("reply", message(replied.reply())).put("acknowledged", replied.isLast());
  }

  /** The details of a refusal. */
  public static JsonWriter context(MailboxOutcome.Refusal refusal) {
    JsonWriter json = JsonWriter.line();
    return switch (refusal) {
      case MailboxOutcome.IdTaken(MessageId id) -> json.put("message_id", id.value());
      case MailboxOutcome.Full(MailboxName mailbox, var bound, long most) -> json.put("mailbox", mailbox.value())
          .put("limit", most).put("unit", bound == MailboxOutcome.Full.Bound.BYTES ? "bytes" : "messages");
      case MailboxOutcome.NoReplyAddress(MessageId id) -> json.put("message_id", id.value());
      case MailboxOutcome.NoDeadLetter(MailboxName mailbox, MessageId id) -> json.put("mailbox", mailbox.value())
          .put("message_id", id.value());
      case MailboxOutcome.OldReceipt(Receipt receipt, MailboxOutcome.Reason reason) -> json
          .put("message_id", receipt.message().value()).put("receipt_handle", receipt.handle())
          .put("reason", switch (reason) {
            case EXPIRED -> "expired";
            case PASSED_ON -> "passed_on";
            case DEAD -> "dead";
            case GONE -> "gone";
          });
    };
  }

  private static @Nullable String text(@Nullable MailboxName name) {
    return name == null ? null : name.value();
  }
}
