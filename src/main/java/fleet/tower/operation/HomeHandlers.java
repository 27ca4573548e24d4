package fleet.tower.operation;

import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

import fleet.tower.audit.AuditTrail;
import fleet.tower.audit.EventNames;
import fleet.tower.lease.LeaseName;
import fleet.tower.operation.Handler.Request;
import fleet.tower.platform.list.RowBudget;
import fleet.tower.run.members.Hosts.Host;

/** Carries out the operations on a home as a whole. */
public record HomeHandlers(Supplier<List<Host>> hosts, Supplier<AuditTrail> trail) {

  /** The handler of each operation. */
  public Map<Operation, Handler> all() {
    return Map.of(HomeOperations.HOSTS, _ -> new HomeCallOutcome.AllHosts(hosts.get()), HomeOperations.AUDIT,
        this::audit,
        HomeOperations.ME, request -> new HomeCallOutcome.Me(request.caller()));
  }

  private Outcome audit(Request request) {
    Given given = request.given();
    AuditTrail.Query wanted = query(given);
    return new HomeCallOutcome.Events(
        trail(given, trail.get()).page(wanted, wanted.page(given.get(HomeOperations.LOCAL),
            given.get(HomeOperations.LIMIT).intValue(), given.orNull(CommonArgs.CURSOR)), RowBudget.MAX_SIZE));
  }

  /** The events that a request asks for; refuses names of events that do not exist. */
  public static AuditTrail.Query query(Given given) {
    return new AuditTrail.Query(given.orNull(HomeOperations.SINCE), given.find(HomeOperations.OF_LOCK)
        .map(LeaseName::new).map(LeaseName::value).orElse(null), given.orNull(HomeOperations.OF_REQUEST),
        given.find(HomeOperations.EVENT).map(EventNames::known).orElse(null), given.orNull(HomeOperations.UNTIL));
  }

  /** The trail of the fleet, or of this host only. */
  public static AuditTrail trail(Given given, AuditTrail all) {
    return given.get(HomeOperations.LOCAL) ? all.ofThisHost() : all;
  }
}
