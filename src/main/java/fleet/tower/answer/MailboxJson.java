package fleet.tower.answer;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

import fleet.tower.mailbox.MailboxName;
import fleet.tower.mailbox.MailboxStore;
import fleet.tower.mailbox.Message;
import fleet.tower.mailbox.MessageId;
import fleet.tower.platform.json.JsonWriter;

/** Mailboxes and messages as JSON, the same at all doors. */
final class MailboxJson {
  private MailboxJson() {}

  /** A message as it was sent. */
  static JsonWriter message(Message message) {
    JsonWriter json = JsonWriter.line().put("id", message.id().value()).put("mailbox", message.mailbox().value())
        .raw("body", message.body().json()).put("enqueued_at", message.enqueuedAt())
        .put("reply_to", text(message.replyTo()));
    MessageId answered = message.inReplyTo();
    return answered == null ? json : json.put("in_reply_to", answered.value());
  }

  /** A message for its worker. */
  static JsonWriter delivery(Message.Delivery delivery) {
    return message(delivery.message()).put("receipt_handle", delivery.receipt().handle())
        .put("delivery_count", delivery.count()).put("visible_at", delivery.visibleAt());
  }

  /** A dead letter; a body that is not JSON is given as its stored text. */
  static JsonWriter deadLetter(Message.DeadLetter letter) {
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
  static JsonWriter count(MailboxStore.Count count) {
    return JsonWriter.line().put("mailbox", count.mailbox().value()).put("messages", count.messages())
        .put("ready", count.ready()).put("leased", count.leased()).put("delayed", count.delayed())
        .put("dead", count.dead());
  }

  private static @Nullable String text(@Nullable MailboxName name) {
    return name == null ? null : name.value();
  }
}
