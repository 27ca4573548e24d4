package fleet.tower.service.mcp.resource;

import java.util.ArrayList;
import java.util.List;

import fleet.tower.access.Caller;
import fleet.tower.access.Forbidden;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.platform.wait.Cancellation;
import fleet.tower.service.mcp.wire.Exchange;
import fleet.tower.service.mcp.wire.Request;

/** An exchange that keeps what it sends. */
public final class FakeExchange implements Exchange {
  private final Request request;
  private final Caller caller;
  private final Cancellation cancellation = new Cancellation();
  private final List<Sent> sent = new ArrayList<>();

  /** A sent notification. */
  public record Sent(String method, JsonObject params) {}

  public FakeExchange(Request request, Caller caller) {
    this.request = request;
    this.caller = caller;
  }

  @Override
  public Request request() {
    return request;
  }

  @Override
  public Caller caller() {
    return caller;
  }

  @Override
  public synchronized void send(String method, JsonWriter params) {
    sent.add(new Sent(method, McpHome.json(params.end())));
  }

  /** What was sent so far. */
  public synchronized List<Sent> sent() {
    return List.copyOf(sent);
  }

  @Override
  public Cancellation cancellation() {
    return cancellation;
  }

  @Override
  public void refused(Forbidden forbidden) {
    // Tests of the endpoint and of the protocol look for refusals.
  }
}
