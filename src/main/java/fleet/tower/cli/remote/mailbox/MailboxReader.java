package fleet.tower.cli.remote.mailbox;

import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

import fleet.tower.mailbox.MailboxName;
import fleet.tower.mailbox.MailboxOutcome;
import fleet.tower.mailbox.MailboxStore;
import fleet.tower.mailbox.Message;
import fleet.tower.mailbox.MessageBody;
import fleet.tower.mailbox.MessageId;
import fleet.tower.mailbox.Receipt;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonValue;
import fleet.tower.platform.time.Timestamps;

/** Reads messages and the outcomes of commands from the JSON of a service. */
final class MailboxReader {
  private MailboxReader() {}

  /** The data member of an answer. */
  static JsonObject data(JsonObject answer) {
    return answer.object("data")
        .orElseThrow(() -> new IllegalStateException("the service answered without data: " + answer.raw()));
  }

  static MailboxOutcome.Sent sent(JsonObject json) {
    return new MailboxOutcome.Sent(message(json), isTrue(json, "replayed"));
  }

  static MailboxOutcome.Acked acked(JsonObject json) {
    return new MailboxOutcome.Acked(id(json));
  }

  static MailboxOutcome.Returned returned(JsonObject json) {
    return new MailboxOutcome.Returned(id(json), moment(json, "visible_at"));
  }

  static MailboxOutcome.Extended extended(JsonObject json) {
    Instant visibleAt = moment(json, "visible_at");
    return new MailboxOutcome.Extended(id(json), visibleAt.minusSeconds(number(json, "remaining_seconds")), visibleAt);
  }

  static MailboxOutcome.Replied replied(JsonObject json) {
    JsonObject reply = json.object("reply")
        .orElseThrow(() -> new IllegalStateException("the service returned no reply: " + json.raw()));
    return new MailboxOutcome.Replied(message(reply), isTrue(json, "acknowledged"));
  }

  static MailboxOutcome.Revived revived(JsonObject json) {
    return new MailboxOutcome.Revived(mailbox(json), number(json, "revived"));
  }

  /** The received messages; the service itself reports new dead letters. */
  static MailboxOutcome.Received received(JsonObject json) {
    return new MailboxOutcome.Received(json.objects("messages").stream().map(MailboxReader::delivery).toList(),
        List.of());
  }

  /** A delivery; its local deadline is unknown and not used. */
  private static Message.Delivery delivery(JsonObject json) {
    return new Message.Delivery(message(json), Receipt.of(text(json, "receipt_handle")),
        number(json, "delivery_count"), moment(json, "visible_at"), 0);
  }

  private static Message message(JsonObject json) {
    return new Message(id(json), mailbox(json), new MessageBody(body(json)),
        json.text("reply_to").map(MailboxName::new).orElse(null),
        json.text("in_reply_to").map(MessageId::new).orElse(null), moment(json, "enqueued_at"));
  }

  static Message.DeadLetter deadLetter(JsonObject json) {
    Message.Cause cause = Message.Cause.valueOf(text(json, "cause").toUpperCase(Locale.ROOT));
    String raw = cause == Message.Cause.UNREADABLE ? text(json, "body") : body(json);
    return new Message.DeadLetter(id(json), mailbox(json), raw,
        json.text("reply_to").map(MailboxName::new).orElse(null), number(json, "delivery_count"), cause,
        json.text("last_error").orElse(null), moment(json, "enqueued_at"),
        json.text("first_received_at").flatMap(Timestamps::parse).orElse(null), moment(json, "dead_lettered_at"));
  }

  static MailboxStore.Count count(JsonObject json) {
    return new MailboxStore.Count(mailbox(json), number(json, "ready"), number(json, "leased"),
        number(json, "delayed"), number(json, "dead"));
  }

  private static MessageId id(JsonObject json) {
    return new MessageId(text(json, "id"));
  }

  private static MailboxName mailbox(JsonObject json) {
    return new MailboxName(text(json, "mailbox"));
  }

  private static String body(JsonObject json) {
    return Optional.ofNullable(json.get("body")).map(json::raw).orElseThrow(() -> missing(json, "body"));
  }

  private static boolean isTrue(JsonObject json, String key) {
    return json.get(key) instanceof JsonValue.Bool bool && bool.value();
  }

  private static long number(JsonObject json, String key) {
    return json.integer(key).orElse(0);
  }

  private static Instant moment(JsonObject json, String key) {
    return Timestamps.parse(text(json, key)).orElseThrow(() -> new IllegalStateException(
        "the service returned a message whose " + key + " is not a time: " + text(json, key)));
  }

  private static String text(JsonObject json, String key) {
    return json.text(key).orElseThrow(() -> missing(json, key));
  }

  private static IllegalStateException missing(JsonObject json, String key) {
    return new IllegalStateException("the service returned a message without " + key + ": " + json.raw());
  }
}
