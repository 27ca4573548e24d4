package fleet.tower.service.mcp.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import fleet.tower.access.Forbidden;
import fleet.tower.access.Role;
import fleet.tower.answer.Problem;
import fleet.tower.answer.RefusedCall;
import fleet.tower.platform.ErrorCode;
import fleet.tower.platform.InvalidValue;
import fleet.tower.platform.StorageException;
import fleet.tower.platform.json.JsonWriter;

@DisplayName("The protocol, without a transport")
class ProtocolTest {
  private static final String META = "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
      + "\"io.modelcontextprotocol/clientCapabilities\":{}}";
  private static final String SERVER = "\"_meta\":{\"io.modelcontextprotocol/serverInfo\":"
      + "{\"name\":\"test\",\"title\":\"Test\",\"version\":\"1.0\"}}";
  private static final String SUPPORTED = "\"supported\":[\"2026-07-28\",\"2025-11-25\"]";

  private final Protocol protocol = protocol(new Echo());
  private final List<String> refusals = new ArrayList<>();

  private static Protocol protocol(Feature... features) {
    return new Protocol(new Implementation("test", "Test", "1.0"), "Call test/echo.", List.of(features));
  }

  /** A feature whose methods return their text, or fail. */
  private static final class Echo implements Feature {
    @Override
    public JsonWriter capabilities(Revision revision) {
      return JsonWriter.line().put("tools", JsonWriter.line().put("listChanged", revision.isModern()));
    }

    @Override
    public Map<String, Method> methods(Revision revision) {
      return Map.of("test/echo", Echo::echo, "test/task", _ -> JsonWriter.line().put("resultType", "task"),
          "test/marked", _ -> JsonWriter.line().put("_meta", JsonWriter.line().put("a", 1)),
          "tools/call", Echo::echo, "test/fail", Echo::fail);
    }

    private static JsonWriter echo(Exchange exchange) {
      return JsonWriter.line().raw("text", exchange.request().params().raw());
    }

    private static JsonWriter fail(Exchange exchange) {
      throw switch (exchange.request().params().text("how").orElse("")) {
        case "protocol" -> new ProtocolError(-32602, "no such tool", JsonWriter.line().put("uri", "u"));
        case "capability" -> new ProtocolError(ProtocolError.MISSING_CAPABILITY, "no sampling",
            JsonWriter.line().raw("requiredCapabilities", "{\"sampling\":{}}"));
        case "forbidden" -> new Forbidden(Forbidden.Reason.ROLE_TOO_LOW, "'ann' may not look", Role.OPERATOR);
        case "value" -> new InvalidValue(InvalidValue.Kind.LOCK_NAME, "lock name 'A' is invalid");
        case "storage" -> new StorageException("database at /secret", "the database is unavailable", null);
        case "rejected" -> new RefusedCall(Problem.of(ErrorCode.LOCK_NOT_FOUND, "no lock 'x'", "see list_locks"));
        case "full" -> new RefusedCall(Problem.of(ErrorCode.TOO_MANY_WAITING_CALLS, "too many", "try later"));
        default -> new IllegalStateException("a secret");
      };
    }
  }

  private static McpMessage read(Protocol protocol, String text, String... headers) {
    TreeMap<String, List<String>> values = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    for (int i = 0; i < headers.length; i += 2) {
      values.put(headers[i], List.of(headers[i + 1].split("\\|", -1)));
    }
    byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
    return headers.length == 0
        ? protocol.read(utf8)
        : protocol.read(utf8, name -> values.getOrDefault(name, List.of()));
  }

  private McpReply reply(String text, String... headers) {
    return switch (read(protocol, text, headers)) {
      case McpMessage.Call call -> {
        TestExchange exchange = new TestExchange(call.request());
        McpReply reply = protocol.answer(call, exchange);
        refusals.addAll(exchange.refusals());
        yield reply;
      }
      case McpMessage.Invalid(McpReply reply) -> reply;
      case McpMessage.Notification notification -> throw new AssertionError(notification);
      case McpMessage.Response response -> throw new AssertionError(response);
    };
  }

  private static String request(String method, String params) {
    return "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"" + method + "\",\"params\":{" + params + "}}";
  }

  private static McpReply ok(String result) {
    return new McpReply(200, "{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{" + result + "}}");
  }

  private static McpReply error(int status, int code, String message) {
    return new McpReply(status,
        "{\"jsonrpc\":\"2.0\",\"id\":7,\"error\":{\"code\":" + code + ",\"message\":\"" + message + "\"}}");
  }

  private static McpReply error(int status, int code, String message, String data) {
    return new McpReply(status,
        "{\"jsonrpc\":\"2.0\",\"id\":7,\"error\":{\"code\":" + code + ",\"message\":\"" + message
            + "\",\"data\":{" + data + "}}}");
  }

  @Test
  @DisplayName("A modern result has its type and the server's name; a method may name another type")
  void modernResult() {
    assertThat(reply(request("test/echo", META))).isEqualTo(
        ok("\"resultType\":\"complete\",\"text\":{" + META + "}," + SERVER));
    assertThat(reply(request("test/task", META))).isEqualTo(ok("\"resultType\":\"task\"," + SERVER));
    assertThat(reply(request("test/marked", META)))
        .isEqualTo(ok("\"resultType\":\"complete\",\"_meta\":{\"a\":1}"));
  }

  @Test
  @DisplayName("A legacy result has only the members of the method")
  void legacyResult() {
    assertThat(reply(request("test/echo", "\"a\":1"))).isEqualTo(ok("\"text\":{\"a\":1}"));
    assertThat(reply("{\"jsonrpc\":\"2.0\",\"id\":\"x\\n\",\"method\":\"test/echo\"}").text())
        .isEqualTo("{\"jsonrpc\":\"2.0\",\"id\":\"x\\n\",\"result\":{\"text\":{}}}");
  }

  @Test
  @DisplayName("A reply is one line, although parts of it were written on several")
  void oneLine() {
    assertThat(reply(request("test/echo", "\"a\":\n\r1")).text()).doesNotContain("\n", "\r").contains("{\"a\":  1}");
    assertThat(Protocol.notification("notifications/x", JsonWriter.line().raw("a", "[\n1]")).json())
        .isEqualTo("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\",\"params\":{\"a\":[ 1]}}");
  }

  @Test
  @DisplayName("server/discover names the revisions, capabilities and instructions; ping and initialize are unknown")
  void discovery() {
    assertThat(reply(request("server/discover", META))).isEqualTo(ok("\"resultType\":\"complete\","
        + "\"supportedVersions\":[\"2026-07-28\",\"2025-11-25\"],\"capabilities\":{\"tools\":{\"listChanged\":true}},"
        + "\"instructions\":\"Call test/echo.\",\"ttlMs\":60000,\"cacheScope\":\"private\"," + SERVER));
    for (String method : List.of("initialize", "ping", "logging/setLevel", "resources/subscribe")) {
      assertThat(reply(request(method, META)))
          .isEqualTo(error(404, -32601, "there is no method '" + method + "'"));
    }
  }

  @Test
  @DisplayName("initialize answers with the legacy revision, whatever the client proposes; server/discover is unknown")
  void handshake() {
    for (String proposed : List.of("2024-11-05", "2025-11-25", "2027-01-01")) {
      assertThat(reply(request("initialize", "\"protocolVersion\":\"" + proposed + "\",\"capabilities\":{}"),
          "MCP-Protocol-Version", proposed)).isEqualTo(ok(
              "\"protocolVersion\":\"2025-11-25\","
                  + "\"capabilities\":{\"tools\":{\"listChanged\":false}},"
                  + "\"serverInfo\":{\"name\":\"test\",\"title\":\"Test\",\"version\":\"1.0\"},"
                  + "\"instructions\":\"Call test/echo.\""));
    }
    assertThat(reply(request("initialize", "")))
        .isEqualTo(error(200, -32602, "'protocolVersion' must be a string"));
    assertThat(reply(request("ping", ""))).isEqualTo(ok(""));
    assertThat(reply(request("server/discover", "")).text()).contains("-32601");
  }

  @Test
  @DisplayName("An unknown method gets the nearest name; its status is 404 in the modern revision")
  void unknownMethod() {
    assertThat(reply(request("test/ehco", ""))).isEqualTo(
        error(200, -32601, "there is no method 'test/ehco'; did you mean 'test/echo'?"));
    assertThat(reply(request("x".repeat(100_000), META)).status()).isEqualTo(404);
  }

  @ParameterizedTest
  @DisplayName("A message that is not a request is refused without its id")
  @CsvSource(delimiter = '|', quoteCharacter = '`', value = {
      "{              | -32700 | the message is not JSON: it ends in the middle (cut off at character 1)",
      "{\"a\":1,\"a\":2} | -32700 | the message is not JSON: duplicate key \\\"a\\\" (at character 12)",
      "nonsense       | -32700 | the message is not JSON: not a value (at character 0)",
      "[]             | -32600 | a batch is not supported; send one message at a time",
      "7              | -32600 | a message must be an object",
      "{}             | -32600 | 'jsonrpc' must be \\\"2.0\\\"",
      "{\"jsonrpc\":\"1.0\",\"method\":\"ping\"} | -32600 | 'jsonrpc' must be \\\"2.0\\\"",
      "{\"jsonrpc\":\"2.0\"} | -32600 | 'method' is missing",
      "{\"jsonrpc\":\"2.0\",\"method\":7} | -32600 | 'method' must be a string",
      "{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"} | -32600 | 'id' must be a string or an integer",
      "{\"jsonrpc\":\"2.0\",\"id\":1.5,\"method\":\"ping\"} | -32600 | 'id' must be a string or an integer"})
  void invalid(String text, int code, String message) {
    assertThat(reply(text)).isEqualTo(new McpReply(400,
        "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":" + code + ",\"message\":\"" + message + "\"}}"));
  }

  @Test
  @DisplayName("Bytes that are not UTF-8, and JSON that is nested too deeply, are refused")
  void unreadable() {
    assertThat(protocol.read(new byte[]{'{', (byte) 0xff, '}'})).isEqualTo(new McpMessage.Invalid(new McpReply(400,
        "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32700,\"message\":\"the message is not JSON: not valid UTF-8\"}}")));
    assertThat(reply("[".repeat(100_000)).text()).contains("-32700", "nested deeper than 64");
  }

  @Test
  @DisplayName("An invalid request is refused with its id")
  void invalidWithId() {
    assertThat(reply("{\"jsonrpc\":\"2.0\",\"id\":7}")).isEqualTo(error(400, -32600, "'method' is missing"));
    assertThat(reply("{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"ping\",\"params\":[]}"))
        .isEqualTo(error(400, -32602, "'params' must be an object"));
    assertThat(reply(request("ping", "\"_meta\":7"))).isEqualTo(error(400, -32602, "'_meta' must be an object"));
  }

  @Test
  @DisplayName("Notifications and responses of the client are recognized")
  void others() {
    assertThat(read(protocol, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":"
        + "{\"requestId\":\"a\\u0062\"}}")).isInstanceOfSatisfying(McpMessage.Notification.class, it -> {
          assertThat(it.isValid()).isTrue();
          assertThat(it.cancelled()).contains("\"a\\u0062\"");
        });
    assertThat(read(protocol, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}"))
        .isInstanceOfSatisfying(McpMessage.Notification.class, it -> assertThat(it.cancelled()).isEmpty());
    assertThat(read(protocol, "{\"jsonrpc\":\"2.0\",\"method\":\"tools/list\"}"))
        .isInstanceOfSatisfying(McpMessage.Notification.class, it -> assertThat(it.isValid()).isFalse());
    assertThat(read(protocol, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}"))
        .isEqualTo(new McpMessage.Response(Revision.V2025_11_25));
    assertThat(read(protocol, "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{}}", "mcp-protocol-version", "2026-07-28"))
        .isEqualTo(new McpMessage.Response(Revision.V2026_07_28));
  }

  @Test
  @DisplayName("A modern request without its revision or its client's capabilities is malformed")
  void incompleteMeta() {
    String version = "'io.modelcontextprotocol/protocolVersion'";
    String[] headers = {"MCP-Protocol-Version", "2026-07-28", "Mcp-Method", "test/echo"};
    for (String params : List.of("", "\"_meta\":{}", META.replace("protocolVersion", "x"))) {
      assertThat(reply(request("test/echo", params), headers))
          .isEqualTo(error(400, -32602, "'_meta' must have " + version));
    }
    assertThat(reply(request("test/echo", META.replace("protocolVersion", "x"))))
        .isEqualTo(error(400, -32602, "'_meta' must have " + version));
    assertThat(reply(request("test/echo", META.replace("\"2026-07-28\"", "7")), headers))
        .isEqualTo(error(400, -32602, version + " must be a string"));
    for (String params : List.of(META.replace("clientCapabilities", "x"), META.replace("{}", "[]"))) {
      assertThat(reply(request("test/echo", params), headers)).isEqualTo(
          error(400, -32602, "'_meta' must have 'io.modelcontextprotocol/clientCapabilities', an object"));
    }
  }

  @Test
  @DisplayName("An unsupported revision is refused with the supported ones, in the body and in the header")
  void unsupported() {
    String message = "protocol version 'v9' is not supported; use 2026-07-28 or 2025-11-25";
    String data = SUPPORTED + ",\"requested\":\"v9\"";
    assertThat(reply(request("test/echo", META.replace("2026-07-28", "v9"))))
        .isEqualTo(error(400, -32022, message, data));
    assertThat(reply(request("test/echo", META.replace("2026-07-28", "v9")), "MCP-Protocol-Version", "v9"))
        .isEqualTo(error(400, -32022, message, data));
    assertThat(reply(request("test/echo", ""), "MCP-Protocol-Version", "v9"))
        .isEqualTo(error(400, -32022, message, data));
    assertThat(reply(request("test/echo", ""), "MCP-Protocol-Version", "2025-06-18").text()).contains("-32022");
  }

  @Test
  @DisplayName("A request that names the legacy revision in its _meta is served in it")
  void legacyByMeta() {
    String params = META.replace("2026-07-28", "2025-11-25");
    assertThat(reply(request("test/echo", params))).isEqualTo(ok("\"text\":{" + params + "}"));
    assertThat(reply(request("test/echo", params), "MCP-Protocol-Version", "2026-07-28"))
        .isEqualTo(
            error(400, -32020, "the header MCP-Protocol-Version is '2026-07-28', and the body has '2025-11-25'"));
  }

  @Test
  @DisplayName("Modern headers must agree with the body; their names are case-insensitive")
  void headers() {
    String echo = request("test/echo", META);
    assertThat(reply(echo, "mcp-protocol-version", "2026-07-28", "MCP-METHOD", "test/echo").status()).isEqualTo(200);
    assertThat(reply(echo, "Mcp-Method", "test/echo"))
        .isEqualTo(error(400, -32020, "the header MCP-Protocol-Version is missing"));
    assertThat(reply(echo, "MCP-Protocol-Version", "2025-11-25", "Mcp-Method", "test/echo"))
        .isEqualTo(
            error(400, -32020, "the header MCP-Protocol-Version is '2025-11-25', and the body has '2026-07-28'"));
    assertThat(reply(echo, "MCP-Protocol-Version", "2026-07-28|2026-07-28"))
        .isEqualTo(error(400, -32020, "the header MCP-Protocol-Version is given more than once"));
    assertThat(reply(echo, "MCP-Protocol-Version", "2026-07-28"))
        .isEqualTo(error(400, -32020, "the header Mcp-Method is missing"));
    assertThat(reply(echo, "MCP-Protocol-Version", "2026-07-28", "Mcp-Method", "TEST/ECHO"))
        .isEqualTo(error(400, -32020, "the header Mcp-Method is 'TEST/ECHO', and the body has 'test/echo'"));
  }

  private McpReply callTool(String name, String header) {
    String params = name.isEmpty() ? META : "\"name\":\"" + name + "\"," + META;
    String call = request("tools/call", params);
    String[] headers = {"MCP-Protocol-Version", "2026-07-28", "Mcp-Method", "tools/call", "Mcp-Name", header};
    return header.isEmpty()
        ? reply(call, headers[0], headers[1], headers[2], headers[3])
        : reply(call, headers);
  }

  @Test
  @DisplayName("Mcp-Name must agree with the name of the tool, and may be Base64 between its markers")
  void names() {
    assertThat(callTool("deploy", "deploy").status()).isEqualTo(200);
    assertThat(callTool("welt 世界", "=?base64?d2VsdCDkuJbnlYw=?=").status()).isEqualTo(200);
    assertThat(callTool("=?base64?=", "=?base64?=").status()).isEqualTo(200);
    assertThat(callTool("", "").status()).as("the feature refuses it").isEqualTo(200);
    assertThat(callTool("deploy", "")).isEqualTo(error(400, -32020, "the header Mcp-Name is missing"));
    assertThat(callTool("deploy", "Deploy"))
        .isEqualTo(error(400, -32020, "the header Mcp-Name is 'Deploy', and the body has 'deploy'"));
    assertThat(callTool("", "deploy"))
        .isEqualTo(error(400, -32020, "the header Mcp-Name is 'deploy', and the body has ''"));
  }

  @ParameterizedTest
  @DisplayName("An Mcp-Name that cannot be decoded is refused")
  @ValueSource(strings = {"=?base64?*?=", "=?base64?/w==?=", "d\u00e9ploy"})
  void undecodable(String header) {
    assertThat(callTool("deploy", header)).isEqualTo(error(400, -32020,
        "the header Mcp-Name is '" + header + "', which is neither plain ASCII nor Base64 of UTF-8"));
  }

  @Test
  @DisplayName("Legacy requests need no headers, and may have those of their revision")
  void legacyHeaders() {
    assertThat(reply(request("ping", ""), "Accept", "x")).isEqualTo(ok(""));
    assertThat(reply(request("ping", ""), "MCP-Protocol-Version", "2025-11-25")).isEqualTo(ok(""));
  }

  @Test
  @DisplayName("Headers that repeat the body must agree with it in legacy requests, too")
  void legacyHeadersAgree() {
    String call = request("tools/call", "\"name\":\"deploy\"");
    assertThat(reply(call, "Mcp-Method", "tools/call", "Mcp-Name", "deploy").status()).isEqualTo(200);
    assertThat(reply(call, "Mcp-Method", "tools/list"))
        .isEqualTo(error(400, -32020, "the header Mcp-Method is 'tools/list', and the body has 'tools/call'"));
    assertThat(reply(call, "MCP-Protocol-Version", "2025-11-25", "Mcp-Name", "status"))
        .isEqualTo(error(400, -32020, "the header Mcp-Name is 'status', and the body has 'deploy'"));
  }

  @Test
  @DisplayName("An id that an answer could not repeat exactly is refused")
  void hiddenId() {
    assertThat(reply("{\"jsonrpc\":\"2.0\",\"id\":\"a\\u200b\",\"method\":\"ping\"}").text())
        .contains("-32600", "'id' has control or invisible characters; leave them out");
  }

  @Test
  @DisplayName("Failures of a method become errors that name the cause and no internals")
  void failures() {
    assertThat(reply(request("test/fail", "\"how\":\"protocol\"")))
        .isEqualTo(error(200, -32602, "no such tool", "\"uri\":\"u\""));
    assertThat(reply(request("test/fail", "\"how\":\"capability\"")))
        .isEqualTo(error(400, -32021, "no sampling", "\"requiredCapabilities\":{\"sampling\":{}}"));
    assertThat(reply(request("test/fail", "\"how\":\"value\"")))
        .isEqualTo(error(200, -32602, "lock name 'A' is invalid",
            "\"error\":\"invalid_lock_name\",\"suggestion\":\"correct the value and call again\""));
    assertThat(reply(request("test/fail", "\"how\":\"storage\"")))
        .isEqualTo(error(200, -32603, "the database is unavailable", "\"error\":\"storage_unavailable\","
            + "\"suggestion\":\"have an operator examine the home on the service's host\""));
    assertThat(reply(request("test/fail", "\"how\":\"rejected\"")))
        .isEqualTo(error(200, -32602, "no lock 'x'", "\"error\":\"lock_not_found\",\"suggestion\":\"see list_locks\""));
    assertThat(reply(request("test/fail", "\"how\":\"full\""))).isEqualTo(
        error(200, -32603, "too many", "\"error\":\"too_many_waiting_calls\",\"suggestion\":\"try later\""));
    assertThat(reply(request("test/fail", "")))
        .isEqualTo(error(200, -32603, "internal error", "\"error\":\"internal_error\","
            + "\"suggestion\":\"see the service's log; this is a bug, please report it\""));
    assertThat(refusals).isEmpty();
    assertThat(reply(request("test/fail", "\"how\":\"forbidden\"")))
        .isEqualTo(error(200, -32602, "'ann' may not look", "\"error\":\"forbidden\","
            + "\"suggestion\":\"use what your token permits\",\"reason\":\"role_too_low\",\"required_role\":\"operator\""));
    assertThat(refusals).containsExactly("role_too_low");
  }

  @Test
  @DisplayName("Two features cannot have the same method")
  void twice() {
    assertThatThrownBy(() -> protocol(new Echo(), new Echo())).isInstanceOf(IllegalStateException.class)
        .hasMessageStartingWith("two features have the method ");
  }
}
