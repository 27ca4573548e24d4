package fleet.tower.service.mcp.wire;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import fleet.tower.access.Caller;
import fleet.tower.access.Forbidden;
import fleet.tower.access.Role;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.platform.time.Cancellation;

/** An exchange that records what is sent. */
public record TestExchange(Request request, Caller caller, Cancellation cancellation, List<String> sent,
    List<String> refusals) implements Exchange {

  public TestExchange(Request request, Caller caller) {
    this(request, caller, new Cancellation(), new CopyOnWriteArrayList<>(), new CopyOnWriteArrayList<>());
  }

  public TestExchange(Request request) {
    this(request, Caller.of("ann", Role.AGENT, List.of()));
  }

  @Override
  public void send(String method, JsonWriter params) {
    sent.add(Protocol.notification(method, params).json());
  }

  @Override
  public void refused(Forbidden forbidden) {
    refusals.add(forbidden.reason().toString());
  }
}
