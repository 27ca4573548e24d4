package fleet.tower.lock.file;

/** Lock files as other programs write them. */
final class LockTexts {
  private LockTexts() {}

  /** The specification's example, as {@code jq} lays it out, with a name, a request and a heartbeat. */
  static String of(String name, String requestId, String heartbeat) {
    return """
        {
          "lock_version": "v1",
          "lock_name": "%s",
          "request_id": "%s",
          "actor": "claude-code",
          "intent": "deploy-app",
          "intent_version": "1.2.0",
          "host_id": "tower-01",
          "pid": 12345,
          "created_at": "2025-12-18T10:30:10Z",
          "last_heartbeat_at": "%s",
          "ttl_seconds": 900,
          "metadata": {}
        }
        """.formatted(name, requestId, heartbeat);
  }
}
