package fleet.tower.service.mcp.stdio;

/** The messages of a client. */
final class ClientMessages {
  private static final String META = "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
      + "\"io.modelcontextprotocol/clientCapabilities\":{}}";

  private ClientMessages() {}

  static String initialize(int id) {
    return "{\"jsonrpc\":\"2.0\",\"id\":" + id + ",\"method\":\"initialize\",\"params\":{\"protocolVersion\":"
        + "\"2025-11-25\",\"capabilities\":{},\"clientInfo\":{\"name\":\"test\",\"version\":\"1\"}}}";
  }

  /** A request of the older revision. */
  static String legacy(int id, String method, String params) {
    return "{\"jsonrpc\":\"2.0\",\"id\":" + id + ",\"method\":\"" + method + "\",\"params\":{" + params + "}}";
  }

  /** A request of the newer revision. */
  static String modern(int id, String method, String params) {
    return legacy(id, method, META + (params.isEmpty() ? "" : "," + params));
  }

  static String cancelled(int id) {
    return "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":" + id + "}}";
  }
}
