package fleet.tower.service.call.overview;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

import fleet.tower.access.Places;
import fleet.tower.access.Role;
import fleet.tower.platform.json.JsonWriter;

/**
 * The callers with the most waiting calls or runs in a service, for operators, who may revoke their tokens. They are
 * not rows of the overview, because each follower of it has a place itself.
 */
final class LargestCallers {
  private static final int NAMED = 3;

  private LargestCallers() {}

  /** As JSON, those with most waiting calls first; without the service itself. */
  static List<String> json(Places waitingCalls, Places requestedRuns) {
    List<Places.Holding> calls = waitingCalls.holdings();
    List<Places.Holding> runs = requestedRuns.holdings();
    Set<Places.Holder> largest = new LinkedHashSet<>();
    for (List<Places.Holding> holdings : List.of(calls, runs)) {
      holdings.stream().map(Places.Holding::holder).filter(it -> it.role() != null).limit(NAMED).forEach(largest::add);
    }
    List<String> json = new ArrayList<>();
    for (Places.Holder holder : largest) {
      Role role = holder.role();
      if (role != null) {
        json.add(JsonWriter.line().put("name", holder.name()).put("role", role.toString())
            .put("waiting_calls", of(holder, calls)).put("requested_runs", of(holder, runs)).end());
      }
    }
    return json;
  }

  private static int of(Places.Holder holder, List<Places.Holding> holdings) {
    return holdings.stream().filter(it -> it.holder().equals(holder)).mapToInt(Places.Holding::places).sum();
  }
}
