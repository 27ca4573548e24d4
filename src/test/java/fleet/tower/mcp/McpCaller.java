package fleet.tower.mcp;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A client of revision 2026-07-28 in this process, without an SDK. It checks every message that it receives. */
final class McpCaller implements AutoCloseable {
  private static final String REVISION = "2026-07-28";
  private final HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final AtomicInteger ids = new AtomicInteger();
  private final MessageCheck check;
  private final String token;
  private volatile String url;

  /** @param url ends in {@code /mcp} */
  McpCaller(String url, String token, MessageCheck check) {
    this.url = url;
    this.token = token;
    this.check = check;
  }

  /** Calls another server from now on. */
  void moveTo(String other) {
    url = other;
  }

  /** The tools that the caller may use. */
  JsonNode listTools() throws IOException {
    return request("tools/list", Map.of(), "").path("tools");
  }

  /** Calls a tool, and returns its result; fails if no answer arrives. */
  JsonNode callTool(String name, Map<String, ?> arguments) throws IOException {
    return request("tools/call", Map.of("name", name, "arguments", arguments), name);
  }

  private JsonNode request(String method, Map<String, ?> params, String name) throws IOException {
    Map<String, Object> all = new LinkedHashMap<>(params);
    all.put("_meta", Map.of("io.modelcontextprotocol/protocolVersion", REVISION,
        "io.modelcontextprotocol/clientInfo", Map.of("name", "tower-tests", "version", "1"),
        "io.modelcontextprotocol/clientCapabilities", Map.of()));
    JsonNode request = JsonMapper.shared().valueToTree(Map.of("jsonrpc", "2.0", "id", ids.incrementAndGet(), "method",
        method, "params", all));
    HttpRequest.Builder post = HttpRequest.newBuilder(URI.create(url)).header("Authorization", "Bearer " + token)
        .header("Content-Type", "application/json").header("Accept", "application/json, text/event-stream")
        .header("MCP-Protocol-Version", REVISION).header("Mcp-Method", method)
        .POST(BodyPublishers.ofString(request.toString()));
    if (!name.isEmpty()) {
      post.header("Mcp-Name", name.matches("[\\x21-\\x7e]+")
          ? name
          : "=?base64?" + Base64.getEncoder().encodeToString(name.getBytes(StandardCharsets.UTF_8)) + "?=");
    }
    try {
      return answer(request, http.send(post.build(), BodyHandlers.ofString()));
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /** The result in an answer, which is one message or a stream whose last event is the answer. */
  private JsonNode answer(JsonNode request, HttpResponse<String> response) throws IOException {
    JsonNode last = JsonMapper.shared().nullNode();
    boolean isStream = response.headers().firstValue("Content-Type").orElse("").startsWith("text/event-stream");
    for (String text : isStream
        ? response.body().lines().filter(line -> line.startsWith("data: ")).map(line -> line.substring(6)).toList()
        : List.of(response.body())) {
      last = JsonMapper.shared().readTree(text);
      check.received(request, last);
    }
    if (last.has("error")) {
      throw new AssertionError(request + " is answered with " + response.statusCode() + " " + last);
    }
    if (!last.has("result")) {
      throw new IOException("the answer is lost");
    }
    return last.get("result");
  }

  @Override
  public void close() {
    http.shutdownNow();
  }
}
