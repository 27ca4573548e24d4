package fleet.tower.service.mcp.tool;

import java.util.List;

import fleet.tower.access.Caller;
import fleet.tower.access.Role;
import fleet.tower.answer.LockEstimates;
import fleet.tower.intent.Intent;
import fleet.tower.operation.Operations;
import fleet.tower.operation.WaitingCalls;

/** The tools that run the intents that a caller may run. */
public final class IntentTools implements ToolBox {
  private final IntentOffer offer;
  private final IntentTool.Services services;

  public IntentTools(IntentOffer offer, Operations operations, WaitingCalls waits, LockEstimates estimates,
      ToolRunFollower follower, UsualDurations durations) {
    this.offer = offer;
    this.services = new IntentTool.Services(operations, waits, estimates, follower, durations);
  }

  @Override
  public List<Tool> tools(Caller caller) {
    return offer.isSearched(caller)
        ? List.of(new SearchIntents(this), new RunIntent(this))
        : offer.allowed(caller).stream().<Tool>map(intent -> tool(intent, caller)).toList();
  }

  @Override
  public void requirePermitted(String name, Caller caller) {
    offer.named(name).ifPresent(intent -> {
      caller.require(Role.AGENT, "run " + intent.name());
      caller.requireIntent(intent.name());
    });
  }

  IntentOffer offer() {
    return offer;
  }

  IntentTool tool(Intent intent, Caller caller) {
    return new IntentTool(intent, caller, services);
  }
}
