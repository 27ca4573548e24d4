package fleet.tower.service.mcp.task;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import fleet.tower.access.Caller;
import fleet.tower.access.Forbidden;
import fleet.tower.access.Role;
import fleet.tower.access.Scope;
import fleet.tower.harness.TestHome;
import fleet.tower.lease.Door;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.platform.time.Cancellation;
import fleet.tower.service.mcp.wire.Exchange;
import fleet.tower.service.mcp.wire.Request;
import fleet.tower.service.mcp.wire.Revision;

/** An exchange that records its notifications, and whose client a test sends away. */
public record RecordedExchange(Request request, Caller caller, List<JsonObject> notes, Cancellation cancellation)
    implements
      Exchange {
  private static final String DECLARED = """
      "io.modelcontextprotocol/clientCapabilities":{"extensions":{"io.modelcontextprotocol/tasks":{}}}""";

  /** A request by alice, an agent. */
  public static RecordedExchange plain() {
    return of(Revision.V2026_07_28, "", "");
  }

  /** A request of a client that accepts tasks. */
  public static RecordedExchange accepting(String members) {
    return of(Revision.V2026_07_28, members, DECLARED);
  }

  /** A request of a client that wants progress notifications. */
  public static RecordedExchange wantingProgress() {
    return of(Revision.V2026_07_28, "", "\"progressToken\":\"p-1\"");
  }

  /** A request of the older revision that declares what belongs to the newer one. */
  public static RecordedExchange legacy() {
    return of(Revision.V2025_11_25, "", DECLARED);
  }

  private static RecordedExchange of(Revision revision, String members, String meta) {
    String params = "{" + members + (members.isEmpty() ? "" : ",") + "\"_meta\":{" + meta + "}}";
    return new RecordedExchange(new Request(revision, "1", "tools/call", json(params)), agent("alice"),
        new CopyOnWriteArrayList<>(), new Cancellation());
  }

  public static Caller agent(String name) {
    return Caller.of(name, Role.AGENT, Scope.ALL).through(Door.MCP);
  }

  /** The same request by another caller. */
  public RecordedExchange by(Caller other) {
    return new RecordedExchange(request, other, notes, cancellation);
  }

  @Override
  public void send(String method, JsonWriter params) {
    notes.add(json(JsonWriter.line().put("method", method).put("params", params).end()));
  }

  /** The params of the notifications. */
  public List<JsonObject> params() {
    return notes.stream().map(note -> note.object("params").orElseThrow()).toList();
  }

  public static JsonObject json(String text) {
    return TestHome.json(text);
  }

  @Override
  public void refused(Forbidden forbidden) {
    // Tests of the endpoint and of the protocol look for refusals.
  }
}
