package fleet.tower.mailbox;

import static fleet.tower.mailbox.MailboxWork.ANSWERS;
import static fleet.tower.mailbox.MailboxWork.BOX;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import java.util.OptionalInt;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import fleet.tower.lease.RequestId;
import fleet.tower.mailbox.MailboxCommand.Receive;
import fleet.tower.mailbox.MailboxCommand.Send;
import fleet.tower.platform.InvalidValue;

@DisplayName("The values of mailboxes")
class MailboxValuesTest {
  private static final Instant NOON = Instant.parse("2026-01-01T12:00:00Z");
  private static final Message MESSAGE = new Message(new MessageId("msg_1"), BOX, new MessageBody("{\"app\": \"x\"}"),
      ANSWERS,
      null, NOON);
  private static final Receipt RECEIPT = new Receipt(new MessageId("msg_1"), new RequestId("req_2"));

  @ParameterizedTest
  @ValueSource(strings = {"", "{", "{\"a\":1,\"a\":2}", "hello", "1 2", "nul", "\"\u0001\""})
  @DisplayName("WI-16 a body that is not JSON is rejected before it is sent")
  void badBody(String json) {
    assertThatThrownBy(() -> new MessageBody(json)).isInstanceOf(InvalidValue.class)
        .hasMessageStartingWith("the message's body is not JSON: ");
  }

  @Test
  @DisplayName("WI-16 a body is any JSON value, including any string, of at most 256 KiB")
  void body() {
    assertThat(new MessageBody(" [1, {\"a\": null}] ").json()).isEqualTo("[1, {\"a\": null}]");
    assertThat(new MessageBody("\"\ud800\"").json()).isEqualTo("\"\\ud800\"");
    assertThat(new MessageBody("\"\ud83d\ude00\"").text()).contains("\ud83d\ude00");
    assertThat(MessageBody.text("\0 \ud800 \"x\"\n").text()).contains("\0 \ud800 \"x\"\n");
    assertThat(new MessageBody("1").text()).isEmpty();
    assertThatThrownBy(() -> MessageBody.text("x".repeat(MessageBody.MAX_BYTES))).isInstanceOf(InvalidValue.class)
        .hasMessage(
            "the message's body has 262146 bytes; the limit is 262144: store it elsewhere and send a reference");
  }

  @Test
  @DisplayName("WI-11 limits: visibility of 0 to 12 hours; 1 message or more, of which at most ten are delivered")
  void bounds() {
    assertThat(new Receive(BOX, 100, Visibility.DEFAULT, 5, null).maxMessages()).isEqualTo(10);
    assertThatThrownBy(() -> new Receive(BOX, 0, Visibility.DEFAULT, 5, null))
        .hasMessage("max_messages 0 is less than 1; request 1 to 10");
    assertThatThrownBy(() -> new Receive(BOX, 1, Visibility.DEFAULT, 0, null))
        .hasMessage("max_deliveries 0 is outside 1 to 1000");
    assertThat(Visibility.DEFAULT.seconds()).isEqualTo(30);
    assertThatThrownBy(() -> new Visibility(43_201))
        .hasMessage("visibility timeout 43201 s is outside 0 to 43200 seconds (12 hours)");
    assertThatThrownBy(() -> new Visibility(-1)).isInstanceOf(InvalidValue.class);
    assertThatThrownBy(() -> new Send(BOX, null, MessageBody.text("a"), null, OptionalInt.of(0), null))
        .hasMessage("limit 0 is outside 1 to 100000 messages; leave it out for none");
  }

  @ParameterizedTest
  @CsvSource({"Jobs, 'mailbox name ''Jobs'' has an upper-case letter; did you mean ''jobs''?'",
      "../x, 'mailbox name ''../x'' has a character outside a-z 0-9 - _'"})
  @DisplayName("T14 the name of a mailbox has the syntax of a lock name")
  void names(String name, String message) {
    assertThatThrownBy(() -> new MailboxName(name)).isInstanceOf(InvalidValue.class).hasMessage(message);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "msg_1", "msg_1/", "/x", "a b/c", "a/b/c", "a/../b"})
  @DisplayName("WI-12 a malformed receipt is rejected; a valid one parses to itself")
  void receipts(String handle) {
    assertThatThrownBy(() -> Receipt.of(handle)).isInstanceOf(InvalidValue.class)
        .hasMessageEndingWith(" is malformed; pass the complete receipt_handle of the received message");
    assertThat(Receipt.of("msg_1/req_2")).isEqualTo(RECEIPT);
  }

  @ParameterizedTest
  @CsvSource({"1, 60", "2, 120", "14, 840", "15, 900", "16, 900", "1000000000000, 900"})
  @DisplayName("WI-17 the pause before a retry grows by a minute each time, up to a quarter of an hour")
  void pause(long count, long seconds) {
    assertThat(new Message.Delivery(MESSAGE, RECEIPT, count, NOON, 0).pause()).isEqualTo(new Visibility(seconds));
  }
}
