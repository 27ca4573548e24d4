package fleet.tower.service.mcp.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import fleet.tower.access.Caller;
import fleet.tower.access.Role;
import fleet.tower.platform.json.JsonException;
import fleet.tower.platform.json.JsonReader;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.platform.time.ManualTime;
import fleet.tower.service.mcp.wire.McpReply;
import fleet.tower.service.mcp.wire.ProtocolError;
import fleet.tower.service.mcp.wire.Request;
import fleet.tower.service.mcp.wire.Revision;

@DisplayName("The response to one request")
class HttpExchangeTest {
  private static final McpReply REPLY = McpReply.error("1", ProtocolError.invalidParams("no"));
  private static final String ANSWER = "event: message\ndata: " + REPLY.text() + "\n\n";
  private static final String SIGN = ": still at work\n\n";

  private final ManualTime time = new ManualTime();
  private final Recorded channel = new Recorded();

  /** A channel that records what is written, and fails when its client is gone. */
  private static final class Recorded extends OutputStream implements Channel {
    private final ByteArrayOutputStream written = new ByteArrayOutputStream();
    private final List<McpReply> answers = new ArrayList<>();
    private boolean isClientThere = true;
    private boolean isBroken;

    @Override
    public void answer(McpReply reply) {
      answers.add(reply);
    }

    @Override
    public OutputStream stream() {
      return this;
    }

    @Override
    public boolean isClientThere() {
      return isClientThere;
    }

    @Override
    public void write(int octet) throws IOException {
      if (isBroken) {
        throw new IOException("broken pipe");
      }
      written.write(octet);
    }

    String text() {
      return written.toString(StandardCharsets.UTF_8);
    }
  }

  private HttpExchange exchange(boolean mayStream) {
    try {
      Request request = new Request(Revision.V2026_07_28, "1", "test/wait", JsonReader.readObject("{}"));
      HttpExchange exchange = new HttpExchange(request, Caller.of("ann", Role.AGENT, List.of()), channel, time,
          mayStream);
      exchange.watch();
      return exchange;
    } catch (JsonException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  @DisplayName("An answer within ten seconds and without notifications is one message")
  void quick() throws Exception {
    try (HttpExchange exchange = exchange(true)) {
      time.advance(Duration.ofMillis(9_900));
      assertThat(exchange.isStream()).isFalse();
      exchange.finish(REPLY);
    }
    assertThat(channel.answers).containsExactly(REPLY);
    assertThat(channel.text()).isEmpty();
    assertThat(time.pendingDelays()).isEmpty();
  }

  @Test
  @DisplayName("After ten seconds a comment begins the stream, and repeats every ten seconds until the answer")
  void signs() throws Exception {
    try (HttpExchange exchange = exchange(true)) {
      time.advance(Duration.ofSeconds(10));
      assertThat(channel.text()).isEqualTo(SIGN);
      assertThat(exchange.isStream()).isTrue();
      time.advance(Duration.ofSeconds(15));
      exchange.finish(REPLY);
      assertThat(channel.text()).isEqualTo(SIGN + SIGN + ANSWER);
      time.advance(Duration.ofSeconds(60));
    }
    assertThat(channel.text()).isEqualTo(SIGN + SIGN + ANSWER);
    assertThat(channel.answers).isEmpty();
    assertThat(time.pendingDelays()).isEmpty();
  }

  @Test
  @DisplayName("A notification begins the stream; one after the answer is not sent")
  void notification() throws Exception {
    try (HttpExchange exchange = exchange(true)) {
      exchange.send("notifications/x", JsonWriter.line().put("n", 1));
      exchange.finish(REPLY);
      exchange.send("notifications/x", JsonWriter.line().put("n", 2));
    }
    assertThat(channel.text()).isEqualTo(
        "event: message\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\",\"params\":{\"n\":1}}\n\n" + ANSWER);
  }

  @Test
  @DisplayName("A client that does not accept streams gets only the answer")
  void noStream() throws Exception {
    try (HttpExchange exchange = exchange(false)) {
      exchange.send("notifications/x", JsonWriter.line());
      time.advance(Duration.ofSeconds(30));
      exchange.finish(REPLY);
    }
    assertThat(channel.text()).isEmpty();
    assertThat(channel.answers).containsExactly(REPLY);
  }

  @Test
  @DisplayName("A client that has closed its connection cancels the exchange within about a second")
  void closed() throws Exception {
    try (HttpExchange exchange = exchange(true)) {
      channel.isClientThere = false;
      assertThat(exchange.cancellation().isCancelled()).isFalse();
      time.advance(Duration.ofSeconds(1));
      assertThat(exchange.cancellation().isCancelled()).isTrue();
      exchange.send("notifications/x", JsonWriter.line());
      exchange.finish(REPLY);
    }
    assertThat(channel.text()).isEmpty();
    assertThat(channel.answers).as("in case it only seems to be gone").containsExactly(REPLY);
    assertThat(time.pendingDelays()).isEmpty();
  }

  @Test
  @DisplayName("A client to which writing fails cancels the exchange")
  void broken() {
    try (HttpExchange exchange = exchange(true)) {
      channel.isBroken = true;
      List<Boolean> cancelled = new ArrayList<>();
      try (var _ = exchange.cancellation().on(() -> cancelled.add(true))) {
        exchange.send("notifications/x", JsonWriter.line());
        assertThat(cancelled).containsExactly(true);
      }
    }
    try (HttpExchange exchange = exchange(true)) {
      time.advance(Duration.ofSeconds(10));
      assertThat(exchange.cancellation().isCancelled()).isTrue();
    }
  }
}
