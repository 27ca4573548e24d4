package fleet.tower.harness;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/**
 * An agent's end of the pipes of a {@code tower mcp}.
 *
 * @param server the process, which the test ends
 */
public record McpClient(Process server, OutputStream out, BufferedReader in) {
  private static final String META = "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
      + "\"io.modelcontextprotocol/clientCapabilities\":{}}";

  public static McpClient of(Process server) {
    return new McpClient(server, server.getOutputStream(), server.inputReader(StandardCharsets.UTF_8));
  }

  public void send(int id, String method, String params) throws IOException {
    out.write(("{\"jsonrpc\":\"2.0\",\"id\":" + id + ",\"method\":\"" + method + "\",\"params\":{" + META + params
        + "}}\n").getBytes(StandardCharsets.UTF_8));
    out.flush();
  }

  /** The next line, or {@code null} as text at the end. */
  public String next() throws IOException {
    return String.valueOf(in.readLine());
  }

  /** The answer to a request, without the notifications before it. */
  public String ask(int id, String method, String params) throws IOException {
    send(id, method, params);
    String line = next();
    while (line.contains("\"method\":\"notifications/")) {
      line = next();
    }
    return line;
  }
}
