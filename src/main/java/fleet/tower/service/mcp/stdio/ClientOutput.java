package fleet.tower.service.mcp.stdio;

import java.io.IOException;
import java.io.OutputStream;

import fleet.tower.service.mcp.wire.SentMessage;

/** The output to the client: complete lines, one after another. A client that is gone does not get them. */
final class ClientOutput {
  private final OutputStream out;

  ClientOutput(OutputStream out) {
    this.out = out;
  }

  synchronized void send(SentMessage message) {
    try {
      message.writeLine(out);
    } catch (IOException gone) {
      // Its requests end when the input does.
    }
  }
}
