package fleet.tower.answer;

import fleet.tower.audit.AuditTrail;
import fleet.tower.operation.HomeOutcome;

/** What came of requests about a home as a whole, as answers. */
final class HomeAnswers {
  private HomeAnswers() {}

  /** The answer to a request. */
  static Answer of(HomeOutcome outcome) {
    return switch (outcome) {
      case HomeOutcome.AllHosts(var hosts) -> Answer.ok(HostJson.hosts(hosts));
      case HomeOutcome.Events(var rows) -> Answer.ok(rows.jsonOf("events", AuditTrail.Entry::line));
      case HomeOutcome.Overview(var json) -> Answer.ok(json);
      case HomeOutcome.Me(var caller) -> Answer.ok(CallerJson.caller(caller));
    };
  }
}
