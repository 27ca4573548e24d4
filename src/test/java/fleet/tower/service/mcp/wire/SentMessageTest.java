package fleet.tower.service.mcp.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A message that is sent")
class SentMessageTest {

  private static String sent(String json) {
    return new SentMessage(json).json();
  }

  @Test
  @DisplayName("It has no hidden characters, whether they stand for themselves or are escaped")
  void hidden() {
    String tags = new StringBuilder().appendCodePoint(0xe0053).appendCodePoint(0xe0059).toString();
    assertThat(sent("{\"a\":\"x\u200b\u00ad\u202e" + tags + "y\"}")).isEqualTo("{\"a\":\"xy\"}");
    assertThat(sent("{\"a\":\"x\\u200B\\u00ad\\u001b\\b\\f\\r\\udb40\\udc53y\"}")).isEqualTo("{\"a\":\"xy\"}");
    assertThat(sent("{\"a\\u200b\":[\"\\ud800\",\"\\udc00x\",\"\ud800\"]}")).isEqualTo("{\"a\":[\"\",\"x\",\"\"]}");
  }

  @Test
  @DisplayName("Everything else in it stays as it was written")
  void visible() {
    String json = "{\"a\":\"\\n\\t\\\"\\\\u200b\\/\\u00e9\\ud83d\\udd12\\u000a\\u0009 🔒 日本\",\"b\":[1.50,null]}";
    assertThat(sent(json)).isEqualTo(json);
  }

  @Test
  @DisplayName("It is one line, although parts of it were written on several")
  void oneLine() {
    assertThat(sent("{\n\"a\":\r\n1}\n")).isEqualTo("{ \"a\":  1}");
  }

  @Test
  @DisplayName("It is written as a line, as an event, or as a response of known length")
  void written() throws IOException {
    SentMessage message = new SentMessage("{\"a\":\"é\"}");
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    AtomicInteger length = new AtomicInteger();
    message.writeLine(out);
    message.writeEvent(out);
    SentMessage.writeSignOfLife(out);
    message.writeTo(out, length::set);

    assertThat(out.toString(StandardCharsets.UTF_8)).isEqualTo("{\"a\":\"é\"}\nevent: message\ndata: {\"a\":\"é\"}\n\n"
        + ": still at work\n\n{\"a\":\"é\"}");
    assertThat(length).hasValue(10);
  }
}
