package fleet.tower.operation;

import java.time.Duration;
import java.util.Map;
import java.util.function.Supplier;

import fleet.tower.access.Caller;
import fleet.tower.lease.RequestId;
import fleet.tower.lock.Halt;
import fleet.tower.lock.HaltRequest;
import fleet.tower.lock.Halts;
import fleet.tower.operation.Handler.Request;

/** Carries out the operations on halts. */
public record HaltHandlers(Halts halts, Supplier<RequestId> ids) {

  /** The handler of each operation. */
  public Map<Operation, Handler> all() {
    return Map.of(HaltOperations.LIST, _ -> new HaltCallOutcome.AllHalts(halts.inForce()), HaltOperations.PLACE,
        this::place, HaltOperations.LIFT, this::lift);
  }

  private Outcome place(Request request) {
    Given given = request.given();
    Caller caller = request.caller();
    Halt.Scope scope = new Halt.Scope(given.get(HaltOperations.ACTORS), given.get(HaltOperations.INTENTS),
        given.get(HaltOperations.LOCKS), given.get(HaltOperations.EVERYTHING));
    return new HaltCallOutcome.Placed(halts.place(new HaltRequest(given.get(HaltOperations.NAME), id(request), scope,
        Halt.Level.of(given.get(HaltOperations.LEVEL)), caller.name(),
        caller.onBehalfOf(), given.get(HaltOperations.WHY),
        given.find(HaltOperations.TTL).map(Duration::ofSeconds).orElse(null)), caller.door()));
  }

  private Outcome lift(Request request) {
    String name = request.given().get(HaltOperations.NAME);
    return new HaltCallOutcome.Lifted(name, halts.lift(request.caller().actor(), name, id(request)));
  }

  private RequestId id(Request request) {
    return request.given().find(CommonArgs.REQUEST_ID).map(RequestId::new).orElseGet(ids);
  }
}
