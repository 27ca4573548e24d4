package fleet.tower.service.mcp.tool;

import static fleet.tower.service.mcp.tool.FixedTools.ANN;
import static fleet.tower.service.mcp.tool.FixedTools.BOB;
import static fleet.tower.service.mcp.tool.FixedTools.VIC;
import static fleet.tower.service.mcp.tool.FixedTools.actions;
import static fleet.tower.service.mcp.tool.FixedTools.exchange;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import fleet.tower.harness.Await;
import fleet.tower.mailbox.MailboxName;
import fleet.tower.mailbox.MailboxStore;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.service.mcp.tool.ToolsHome.Called;
import fleet.tower.service.mcp.wire.TestExchange;

@DisplayName("The tools about messages, on files")
class MailboxToolsTest {
  private static final String RECEIVE = "{\"mailbox\":\"todo\"}";
  private static final String RECEIVE_WAITING = "{\"mailbox\":\"todo\",\"wait_time_seconds\":600}";

  @AutoClose
  private final FixedTools tools;

  MailboxToolsTest(@TempDir Path root) {
    tools = new FixedTools(ToolsHome.withSamples(root));
  }

  private JsonObject send(String more) {
    return tools.done(ANN, "send_message", "{\"mailbox\":\"todo\"," + more + "}");
  }

  private JsonObject receive() {
    return tools.done(BOB, "receive_message", RECEIVE).objects("messages").getFirst();
  }

  private static String settling(String action, JsonObject message, String more) {
    return "{\"mailbox\":\"todo\",\"receipt_handle\":\"" + message.text("receipt_handle").orElseThrow()
        + "\",\"action\":\"" + action + "\"" + more + "}";
  }

  private MailboxStore.Count count() {
    return tools.home.mailboxes().count(new MailboxName("todo"));
  }

  @Test
  @DisplayName("Agents see them, but viewers do not")
  void listed() {
    assertThat(tools.names(ANN)).containsSubsequence("send_message", "receive_message", "settle_message");
    assertThat(tools.names(VIC)).doesNotContain("send_message", "receive_message", "settle_message");
  }

  @Test
  @DisplayName("A message is sent once per id, received, and acknowledged")
  void sent() {
    assertThat(send("\"id\":\"m1\",\"body\":{\"n\":1.0}").raw()).contains("\"replayed\":false");
    assertThat(send("\"id\":\"m1\",\"body\":{\"n\":1.0}").raw()).contains("\"replayed\":true")
        .doesNotContain("schema_version");
    Called taken = tools.call("send_message", "{\"mailbox\":\"todo\",\"id\":\"m1\",\"body\":2}");
    assertThat(taken.error()).isEqualTo("message_exists");
    assertThat(count().messages()).isEqualTo(1);

    Called received = tools.call(BOB, "receive_message", RECEIVE);
    assertThat(received.text()).startsWith("message m1 is yours until ").contains("{\"n\":1.0}");
    JsonObject message = received.structured().objects("messages").getFirst();
    assertThat(message.integer("delivery_count")).hasValue(1);
    tools.done(BOB, "settle_message", settling("ack", message, ""));
    Called again = tools.call(BOB, "settle_message", settling("ack", message, ""));
    assertThat(again.error()).isEqualTo("receipt_handle_expired");
    assertThat(actions(again)).containsExactly("receive_message " + RECEIVE);
    assertThat(tools.perform(BOB, again.actions().getFirst()).text()).startsWith("no message is available");
  }

  @ParameterizedTest
  @ValueSource(strings = {"1", "-0.50", "null", "true", "\"text\"", "[1,{\"a\":null}]"})
  @DisplayName("A body is any JSON, and arrives as it was sent")
  void anyBody(String body) {
    send("\"body\":" + body);
    JsonObject message = receive();
    assertThat(message.raw(requireNonNull(message.get("body")))).isEqualTo(body);
  }

  @Test
  @DisplayName("A message is returned, extended, answered, or made a dead letter")
  void settled() {
    send("\"body\":1,\"reply_to\":\"done\"");
    JsonObject message = receive();
    assertThat(tools.done(BOB, "settle_message", settling("extend", message, ",\"visibility_timeout\":600"))
        .integer("remaining_seconds")).hasValue(600);
    tools.done(BOB, "settle_message", settling("nack", message, ",\"error\":\"busy\""));
    message = receive();
    assertThat(message.integer("delivery_count")).hasValue(2);
    Called last = tools.call(BOB, "settle_message", settling("reply", message, ",\"body\":\"last\""));
    assertThat(last.structured().raw()).contains("\"acknowledged\":true");
    assertThat(tools.call(BOB, "settle_message", settling("reply", message, ",\"body\":\"last\"")).error())
        .isEqualTo("receipt_handle_expired");
    assertThat(tools.done(ANN, "receive_message", "{\"mailbox\":\"done\",\"max_messages\":10}").objects("messages"))
        .extracting(reply -> reply.text("body").orElse("")).containsExactly("last");
    assertThat(count().messages()).isZero();

    send("\"body\":2");
    JsonObject mute = receive();
    Called noAddress = tools.call(BOB, "settle_message", settling("reply", mute, ",\"body\":1"));
    assertThat(noAddress.error()).isEqualTo("reply_not_available");
    assertThat(noAddress.actions().getFirst().text("tool")).hasValue("settle_message");
    tools.done(BOB, "settle_message", settling("reject", mute, ",\"error\":\"nonsense\""));
    assertThat(count().dead()).isEqualTo(1);
  }

  @Test
  @DisplayName("The action that follows a reply without address acknowledges the message")
  void acknowledgedInstead() {
    send("\"body\":2");
    Called noAddress = tools.call(BOB, "settle_message", settling("reply", receive(), ",\"body\":1"));
    assertThat(tools.perform(BOB, noAddress.actions().getFirst()).outcome()).isEqualTo("done");
    assertThat(count().messages()).isZero();
  }

  @Test
  @DisplayName("Arguments of other actions are refused, and what an action requires is named")
  void invalid() {
    send("\"body\":1");
    JsonObject message = receive();
    assertThat(tools.call(BOB, "settle_message", settling("ack", message, ",\"error\":\"e\"")).text())
        .contains("'error' has no meaning with the action ack");
    assertThat(tools.call(BOB, "settle_message", settling("reply", message, "")).text())
        .contains("'body' is missing; the action reply requires it");
    assertThat(tools.call(BOB, "settle_message", settling("reject", message, "")).text())
        .contains("'error' is missing; the action reject requires it");
    Called near = tools.call(BOB, "settle_message", settling("acks", message, ""));
    assertThat(actions(near)).containsExactly("settle_message " + settling("ack", message, ""));
    assertThat(tools.call("send_message", "{\"mailbox\":\"todo\"}").text()).contains("body is required");
    assertThat(tools.call("receive_message", "{\"mailbox\":\"todo\",\"max_messages\":0}").error())
        .isEqualTo("invalid_request");
    assertThat(tools.call(BOB, "settle_message", settling("extend", message, ",\"visibility_timeout\":43201")).text())
        .contains("from 0 to 43200");
    assertThat(count().leased()).isEqualTo(1);
  }

  @Test
  @DisplayName("A message to a full mailbox is refused, until there is room; so is the reply that fills it")
  void full(@TempDir Path other) {
    try (FixedTools bounded = new FixedTools(ToolsHome.withSamples(other),
        Map.of("TOWER_MAILBOXES_MAX_MESSAGES", "1"))) {
      bounded.done(ANN, "send_message", "{\"mailbox\":\"todo\",\"body\":1}");
      bounded.done(ANN, "send_message", "{\"mailbox\":\"asked\",\"body\":1,\"reply_to\":\"todo\"}");
      Called refused = bounded.call(ANN, "send_message", "{\"mailbox\":\"todo\",\"body\":2}");
      assertThat(refused.error()).isEqualTo("mailbox_full");
      assertThat(refused.text())
          .contains("mailbox todo has as many messages and dead letters as a mailbox may have: 1");
      JsonObject asked = bounded.done(BOB, "receive_message", "{\"mailbox\":\"asked\"}").objects("messages").getFirst();
      assertThat(bounded.call(BOB, "settle_message", settling("reply", asked, ",\"body\":1")
          .replace("todo", "asked")).error()).isEqualTo("mailbox_full");

      JsonObject first = bounded.done(BOB, "receive_message", RECEIVE).objects("messages").getFirst();
      bounded.done(BOB, "settle_message", settling("ack", first, ""));
      bounded.done(ANN, "send_message", "{\"mailbox\":\"todo\",\"body\":2}");
    }
  }

  @Test
  @DisplayName("Without free space beyond what locks need, a message is refused, and locks are taken and released")
  void fullDisk(@TempDir Path other) {
    try (FixedTools floored = new FixedTools(ToolsHome.withSamples(other), Map.of("TOWER_DISK_RESERVE", "1000TB"))) {
      assertThat(floored.call(ANN, "send_message", "{\"mailbox\":\"todo\",\"body\":1}").error())
          .isEqualTo("disk_full");
      floored.done(ANN, "acquire_lock", "{\"lock_name\":\"prod\",\"request_id\":\"r1\"}");
      floored.done(ANN, "release_lock", "{\"lock_name\":\"prod\",\"request_id\":\"r1\"}");
    }
  }

  @Test
  @DisplayName("A wait for a message ends when one arrives, when the answer is due, and when the client is gone")
  void waits(@TempDir Path other) {
    CompletableFuture<Called> waiting = tools.later(exchange(BOB, "receive_message", RECEIVE_WAITING));
    send("\"body\":1");
    assertThat(waiting).succeedsWithin(Await.LIMIT).extracting(Called::text).asString()
        .startsWith("message msg_");

    TestExchange leaving = exchange(BOB, "receive_message", RECEIVE_WAITING);
    CompletableFuture<Called> left = tools.later(leaving);
    leaving.cancellation().cancel();
    assertThat(left).succeedsWithin(Await.LIMIT).extracting(Called::text).asString()
        .startsWith("no message is available");
    send("\"body\":2");
    assertThat(tools.call(leaving).text()).startsWith("no message is available");
    assertThat(count().ready()).isEqualTo(1);

    try (FixedTools quick = new FixedTools(ToolsHome.withSamples(other), "1s")) {
      assertThat(quick.call(BOB, "receive_message", RECEIVE_WAITING).structured().objects("messages"))
          .isEqualTo(List.of());
    }
  }
}
