package fleet.tower.service.mcp.stdio;

import java.time.Duration;

import fleet.tower.access.Caller;
import fleet.tower.access.Forbidden;
import fleet.tower.audit.AuditBudget;
import fleet.tower.audit.AuditEvent;
import fleet.tower.audit.Origin;
import fleet.tower.home.Home;
import fleet.tower.home.RunEngine;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.platform.time.Cancellation;
import fleet.tower.platform.time.TimeSource;
import fleet.tower.service.mcp.RefusedRequests;
import fleet.tower.service.mcp.wire.Exchange;
import fleet.tower.service.mcp.wire.McpMessage;
import fleet.tower.service.mcp.wire.Protocol;
import fleet.tower.service.mcp.wire.Request;

/** This process as the peer: it executes runs itself, on the files of a home. */
final class HomePeer implements Peer {
  /** Longer than any run. */
  private static final Duration UNTIL_THE_END = Duration.ofDays(365);

  private final Protocol protocol;
  private final Caller caller;
  private final RunEngine engine;
  private final TimeSource time;
  private final AuditBudget audit;
  private final RefusedRequests refused;

  HomePeer(Protocol protocol, Caller caller, Home home, RunEngine engine) {
    this.protocol = protocol;
    this.caller = caller;
    this.engine = engine;
    this.time = home.time();
    this.audit = new AuditBudget(home.auditLog(), home.time(), home.scheduler());
    this.refused = new RefusedRequests(engine.catalogue());
  }

  @Override
  public Reaction read(byte[] utf8) {
    return switch (protocol.read(utf8)) {
      case McpMessage.Call call -> new Begin(call.request().id(), (notifications, cancellation) -> protocol
          .answer(call, new StdioExchange(call.request(), this, notifications, cancellation)).message());
      case McpMessage.Notification notification -> notification.cancelled().<Reaction>map(Cancel::new)
          .orElseGet(Ignore::new);
      case McpMessage.Response _ -> new Ignore();
      case McpMessage.Invalid(var reply) -> new Reject(reply.message());
    };
  }

  private void audit(Request request, Forbidden forbidden) {
    audit.append(new AuditEvent.AccessDenied(time.now(), null, refused.of(request), forbidden.reason().toString(), 0,
        Origin.of(caller.actor())));
  }

  /** A request and the client's side of it. */
  private record StdioExchange(Request request, HomePeer peer, Notifications notifications, Cancellation cancellation)
      implements
        Exchange {
    @Override
    public Caller caller() {
      return peer.caller;
    }

    @Override
    public void refused(Forbidden forbidden) {
      peer.audit(request, forbidden);
    }

    @Override
    public void send(String method, JsonWriter params) {
      notifications.send(Protocol.notification(method, params));
    }
  }

  @Override
  public void interrupt() {
    engine.runs().close(Duration.ZERO);
  }

  @Override
  public void close() {
    engine.runs().close(UNTIL_THE_END);
    engine.close(Duration.ZERO);
  }
}
