package fleet.tower.answer;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import fleet.tower.lease.RequestId;
import fleet.tower.mailbox.MailboxCommand;
import fleet.tower.mailbox.MailboxName;
import fleet.tower.mailbox.MailboxOutcome;
import fleet.tower.mailbox.MailboxOutcome.Reason;
import fleet.tower.mailbox.MailboxStore;
import fleet.tower.mailbox.Message;
import fleet.tower.mailbox.MessageBody;
import fleet.tower.mailbox.MessageId;
import fleet.tower.mailbox.Receipt;
import fleet.tower.operation.MailboxCallOutcome;
import fleet.tower.platform.ErrorCode;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonReader;

@DisplayName("Mailboxes as JSON and as text")
class MailboxJsonTest {
  private static final Instant NOON = Instant.parse("2026-01-01T12:00:00Z");
  private static final MailboxName BOX = new MailboxName("jobs");
  private static final MailboxName ANSWERS = new MailboxName("answers");
  private static final Message MESSAGE = new Message(new MessageId("msg_1"), BOX, new MessageBody("{\"app\": \"x\"}"),
      ANSWERS,
      null, NOON);
  private static final Receipt RECEIPT = new Receipt(new MessageId("msg_1"), new RequestId("req_2"));

  private static Answer answer(MailboxOutcome outcome) {
    return MailboxAnswers.of(new MailboxCallOutcome.Performed(new MailboxCommand.Ack(BOX, RECEIPT), outcome));
  }

  private static String data(MailboxOutcome outcome) {
    return ((Answer.Done) answer(outcome)).body().end();
  }

  @Test
  @DisplayName("WI-12 a delivery as JSON: the message, its receipt, its count, its expiry")
  void delivery() {
    Message.Delivery delivery = new Message.Delivery(MESSAGE, RECEIPT, 2, NOON.plusSeconds(30), 0);

    assertThat(data(new MailboxOutcome.Received(List.of(delivery), List.of()))).isEqualTo(
        "{\"messages\":[{\"id\":\"msg_1\",\"mailbox\":\"jobs\",\"body\":{\"app\": \"x\"},"
            + "\"enqueued_at\":\"2026-01-01T12:00:00Z\",\"reply_to\":\"answers\",\"receipt_handle\":\"msg_1/req_2\","
            + "\"delivery_count\":2,\"visible_at\":\"2026-01-01T12:00:30Z\"}]}");
  }

  @Test
  @DisplayName("WI-17 a dead letter as JSON, also one with a body that is not JSON")
  void deadLetter() {
    Message.DeadLetter letter = new Message.DeadLetter(new MessageId("msg_1"), BOX, "{\"a\":", null, 0,
        Message.Cause.UNREADABLE, null, NOON, null, NOON.plusSeconds(5));

    assertThat(MailboxJson.deadLetter(letter).end()).isEqualTo(
        "{\"id\":\"msg_1\",\"mailbox\":\"jobs\",\"body\":\"{\\\"a\\\":\",\"reply_to\":null,\"delivery_count\":0,"
            + "\"cause\":\"unreadable\",\"last_error\":null,\"enqueued_at\":\"2026-01-01T12:00:00Z\","
            + "\"first_received_at\":null,\"dead_lettered_at\":\"2026-01-01T12:00:05Z\"}");
  }

  @Test
  @DisplayName("WI-10 WI-15 sent, returned, extended, answered and counted messages as JSON")
  void others() {
    Message reply = new Message(new MessageId("msg_2"), ANSWERS, MessageBody.text("done"), null, new MessageId("msg_1"),
        NOON);

    assertThat(data(new MailboxOutcome.Sent(MESSAGE, true))).endsWith("\"replayed\":true}");
    assertThat(data(new MailboxOutcome.Returned(new MessageId("msg_1"), NOON)))
        .isEqualTo("{\"id\":\"msg_1\",\"visible_at\":\"2026-01-01T12:00:00Z\"}");
    assertThat(data(new MailboxOutcome.Extended(new MessageId("msg_1"), NOON, NOON.plusSeconds(300))))
        .isEqualTo("{\"id\":\"msg_1\",\"visible_at\":\"2026-01-01T12:05:00Z\",\"remaining_seconds\":300}");
    assertThat(data(new MailboxOutcome.Replied(reply, true)))
        .isEqualTo("{\"reply\":{\"id\":\"msg_2\",\"mailbox\":\"answers\",\"body\":\"done\","
            + "\"enqueued_at\":\"2026-01-01T12:00:00Z\",\"reply_to\":null,\"in_reply_to\":\"msg_1\"},"
            + "\"acknowledged\":true}");
    assertThat(MailboxJson.count(new MailboxStore.Count(BOX, 1, 2, 3, 4)).end())
        .isEqualTo("{\"mailbox\":\"jobs\",\"messages\":6,\"ready\":1,\"leased\":2,\"delayed\":3,\"dead\":4}");
  }

  @Test
  @DisplayName("WI-7 WI-10 WI-13 WI-14 every rejection has a code, a sentence and the next step")
  void refusals() {
    List<MailboxOutcome.Refusal> refusals = List.of(new MailboxOutcome.IdTaken(new MessageId("msg_1")),
        new MailboxOutcome.Full(BOX, MailboxOutcome.Full.Bound.LIMIT, 1),
        new MailboxOutcome.NoReplyAddress(new MessageId("msg_1")),
        new MailboxOutcome.OldReceipt(RECEIPT, Reason.EXPIRED),
        new MailboxOutcome.OldReceipt(RECEIPT, Reason.PASSED_ON),
        new MailboxOutcome.OldReceipt(RECEIPT, Reason.DEAD), new MailboxOutcome.OldReceipt(RECEIPT, Reason.GONE));

    List<Problem> problems = refusals.stream().map(refusal -> (Problem) answer(refusal)).toList();
    assertThat(problems.stream().map(Problem::code)).containsExactly(ErrorCode.MESSAGE_EXISTS,
        ErrorCode.MAILBOX_FULL, ErrorCode.REPLY_NOT_AVAILABLE, ErrorCode.RECEIPT_HANDLE_EXPIRED,
        ErrorCode.RECEIPT_HANDLE_EXPIRED, ErrorCode.RECEIPT_HANDLE_EXPIRED, ErrorCode.RECEIPT_HANDLE_EXPIRED);
    assertThat(problems.stream().map(Problem::detail)).containsExactly(
        "another message msg_1 already exists", "mailbox jobs already has its maximum of 1 message",
        "message msg_1 was sent without a reply_to", "message msg_1 is no longer yours: receipt handle expired",
        "message msg_1 is no longer yours: receipt handle expired, the message was offered to others again",
        "message msg_1 is no longer yours: receipt handle expired, the message is a dead letter",
        "message msg_1 is no longer yours: receipt handle expired, the message was acknowledged or purged");
    List<JsonObject> members = problems.stream().map(problem -> JsonReader.readOwn(problem.members().end())).toList();
    assertThat(members).allSatisfy(one -> assertThat(one.text("suggestion").orElseThrow()).isNotBlank());
    assertThat(members.stream().map(one -> one.raw().replaceFirst("\"error\":\"\\w+\",", "")
        .replaceFirst(",\"suggestion\":.*", "}"))).containsExactly(
            "{\"message_id\":\"msg_1\"}", "{\"mailbox\":\"jobs\",\"limit\":1,\"unit\":\"messages\"}",
            "{\"message_id\":\"msg_1\"}",
            "{\"message_id\":\"msg_1\",\"receipt_handle\":\"msg_1/req_2\",\"reason\":\"expired\"}",
            "{\"message_id\":\"msg_1\",\"receipt_handle\":\"msg_1/req_2\",\"reason\":\"passed_on\"}",
            "{\"message_id\":\"msg_1\",\"receipt_handle\":\"msg_1/req_2\",\"reason\":\"dead\"}",
            "{\"message_id\":\"msg_1\",\"receipt_handle\":\"msg_1/req_2\",\"reason\":\"gone\"}");
  }
}
