package fleet.tower.service.mcp.http;

import java.io.IOException;
import java.io.OutputStream;

import fleet.tower.service.mcp.wire.McpReply;

/** The HTTP response to one request; it carries one message, or a stream of them. */
interface Channel {

  /** Answers with a message. */
  void answer(McpReply reply) throws IOException;

  /** Begins a stream. */
  OutputStream stream() throws IOException;

  /** Whether the client is connected as far as known. Called by one thread at a time, while nothing is written. */
  boolean isClientThere();
}
