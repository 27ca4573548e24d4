package fleet.tower.mcp;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

import org.jspecify.annotations.Nullable;

import fleet.tower.harness.Await;
import fleet.tower.harness.HttpHead;
import fleet.tower.harness.LoopbackPort;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * A proxy before MCP servers. It sends each request to the next server, adds that server's token, checks every message
 * that passes, and can lose an answer: it closes the client's connection when the answer begins.
 */
final class McpProxy implements AutoCloseable {
  private final MessageCheck check;
  private final LoopbackPort port;
  private final AtomicReference<List<Server>> servers;
  private final AtomicInteger requests = new AtomicInteger();
  private final AtomicReference<@Nullable String> lose = new AtomicReference<>();
  private final AtomicInteger lost = new AtomicInteger();
  private final AtomicInteger passing = new AtomicInteger();

  /** A server, and the token of its callers. */
  record Server(String url, String token) {}

  McpProxy(MessageCheck check, Server... servers) {
    this.check = check;
    this.servers = new AtomicReference<>(List.of(servers));
    port = new LoopbackPort(this::pass);
  }

  String url() {
    return "http://" + port.address() + "/mcp";
  }

  /** The number of requests so far. */
  int requests() {
    return requests.get();
  }

  /** Loses the answer of the next request whose body contains a text. */
  void loseAnswerOf(String text) {
    lose.set(text);
  }

  /** The number of lost answers. */
  int lost() {
    return lost.get();
  }

  /** Sends all further requests to other servers. */
  void switchTo(Server... others) {
    servers.set(List.of(others));
  }

  private void pass(Socket client) throws IOException {
    List<Server> all = servers.get();
    passing.incrementAndGet();
    try {
      HttpHead head = HttpHead.read(client.getInputStream());
      if (head == null) {
        return;
      }
      byte[] body = client.getInputStream().readNBytes(head.contentLength());
      Server server = all.get(requests.getAndIncrement() % all.size());
      URI address = URI.create(server.url());
      ByteArrayOutputStream answer = new ByteArrayOutputStream();
      boolean isWhole = false;
      try (Socket upstream = new Socket(address.getHost(), address.getPort())) {
        OutputStream out = upstream.getOutputStream();
        out.write(head.with("Authorization", "Bearer " + server.token()).withConnection("close").bytes());
        out.write(body);
        out.flush();
        Thread.ofVirtual().start(() -> closeAfter(client, upstream));
        copy(upstream, client, new String(body, StandardCharsets.UTF_8), answer);
        isWhole = true;
      } finally {
        check(new String(body, StandardCharsets.UTF_8), answer.toString(StandardCharsets.UTF_8), isWhole);
      }
    } finally {
      passing.decrementAndGet();
    }
  }

  /** Closes the connection to the server when the client closes its own. */
  private static void closeAfter(Socket client, Socket upstream) {
    try (upstream) {
      client.getInputStream().transferTo(OutputStream.nullOutputStream());
    } catch (IOException gone) {
      // The same.
    }
  }

  private void copy(Socket upstream, Socket client, String body, ByteArrayOutputStream answer) throws IOException {
    InputStream in = upstream.getInputStream();
    HttpHead head = HttpHead.read(in);
    String text = lose.get();
    if (text != null && body.contains(text) && lose.compareAndSet(text, null)) {
      lost.incrementAndGet();
      return;
    }
    if (head == null) {
      return;
    }
    OutputStream out = client.getOutputStream();
    byte[] sent = head.withConnection("close").bytes();
    out.write(sent);
    answer.write(sent);
    byte[] buffer = new byte[16_384];
    for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
      answer.write(buffer, 0, read);
      out.write(buffer, 0, read);
    }
  }

  /**
   * Checks the messages of an answer.
   *
   * @param isWhole whether the server ended the answer; otherwise the client left, perhaps in the middle of a message
   */
  private void check(String body, String answer, boolean isWhole) {
    JsonNode request;
    try {
      request = JsonMapper.shared().readTree(body);
    } catch (JacksonException invalid) {
      return;
    }
    int end = answer.indexOf("\r\n\r\n");
    if (end < 0 || !request.has("method")) {
      return;
    }
    String head = answer.substring(0, end).toLowerCase(Locale.ROOT);
    String content = head.contains("transfer-encoding: chunked")
        ? joined(answer.substring(end + 4))
        : answer.substring(end + 4);
    if (head.contains("content-type: application/json")) {
      if (isWhole || isJson(content)) {
        message(request, content);
      }
    } else if (head.contains("content-type: text/event-stream")) {
      content.lines().filter(line -> line.startsWith("data:")).map(line -> line.substring("data:".length()).strip())
          .filter(data -> !data.isEmpty()).forEach(data -> message(request, data));
    } else if (!content.isEmpty()) {
      check.mistake("an answer of an unknown type: " + answer);
    }
  }

  private static boolean isJson(String text) {
    try {
      return JsonMapper.shared().readTree(text).isObject();
    } catch (JacksonException cut) {
      return false;
    }
  }

  private void message(JsonNode request, String text) {
    try {
      check.received(request, JsonMapper.shared().readTree(text));
    } catch (JacksonException invalid) {
      check.mistake("an answer to " + request + " that is no JSON: " + text);
    }
  }

  /** The content of complete chunks. */
  private static String joined(String chunks) {
    byte[] bytes = chunks.getBytes(StandardCharsets.UTF_8);
    ByteArrayOutputStream joined = new ByteArrayOutputStream();
    int at = 0;
    while (at < bytes.length) {
      int line = at;
      while (line < bytes.length && bytes[line] != '\r') {
        line++;
      }
      int size = Integer.parseInt(new String(bytes, at, line - at, StandardCharsets.US_ASCII), 16);
      at = line + 2;
      if (size == 0 || at + size > bytes.length) {
        break;
      }
      joined.write(bytes, at, size);
      at += size + 2;
    }
    return joined.toString(StandardCharsets.UTF_8);
  }

  /** Waits until every answer is checked. */
  @Override
  public void close() {
    Await.until("every answer is checked", () -> passing.get() == 0);
    port.close();
  }
}
