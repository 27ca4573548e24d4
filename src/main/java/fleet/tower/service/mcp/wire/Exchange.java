package fleet.tower.service.mcp.wire;

import fleet.tower.access.Caller;
import fleet.tower.access.Forbidden;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.platform.time.Cancellation;

/** A request that is being answered, and the connection to its client. */
public interface Exchange {
  Request request();

  Caller caller();

  /** Sends a notification about this request, before its answer. A client that is gone does not get it. */
  void send(String method, JsonWriter params);

  /**
   * The end of the client's interest: it closed the stream, cancelled the request, or its token was revoked; also the
   * end of the service. It ends waits, but nothing that has started to change a system.
   */
  Cancellation cancellation();

  /** Records that the caller was refused what it may not do; whoever answers the request audits it. */
  void refused(Forbidden forbidden);
}
