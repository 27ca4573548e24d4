package fleet.tower.service.mcp;

import java.util.List;

import fleet.tower.home.Release;
import fleet.tower.service.mcp.prompt.ServerInstructions;
import fleet.tower.service.mcp.wire.Feature;
import fleet.tower.service.mcp.wire.Implementation;
import fleet.tower.service.mcp.wire.Protocol;

/** The Model Context Protocol with the features of this program. */
public final class McpServer {
  private McpServer() {}

  /** The protocol of a server with some features. */
  public static Protocol of(List<Feature> features) {
    return new Protocol(new Implementation("tower-executor", "Tower Executor", Release.version()),
        ServerInstructions.TEXT,
        features);
  }
}
