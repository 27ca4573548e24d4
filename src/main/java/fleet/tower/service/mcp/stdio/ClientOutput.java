package fleet.tower.service.mcp.stdio;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/** The output to the client: complete lines, one after another. A client that is gone does not get them. */
final class ClientOutput {
  private final OutputStream out;

  ClientOutput(OutputStream out) {
    this.out = out;
  }

  synchronized void send(String line) {
    try {
      out.write((line + "\n").getBytes(StandardCharsets.UTF_8));
      out.flush();
    } catch (IOException gone) {
      // Its requests end when the input does.
    }
  }
}
