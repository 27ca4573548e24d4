package fleet.tower.answer;

import fleet.tower.audit.AuditTrail;
import fleet.tower.operation.HomeCallOutcome;

/** What came of requests about a home as a whole, as answers. */
final class HomeAnswers {
  private HomeAnswers() {}

  /** The answer to a request. */
  static Answer of(HomeCallOutcome outcome) {
    return switch (outcome) {
      case HomeCallOutcome.AllHosts(var hosts) -> Answer.ok(HostJson.hosts(hosts));
      case HomeCallOutcome.Events(var rows) -> Answer.ok(rows.jsonOf("events", AuditTrail.Entry::line));
      case HomeCallOutcome.Overview(var json) -> Answer.ok(json);
      case HomeCallOutcome.Me(var caller) -> Answer.ok(CallerJson.caller(caller));
    };
  }
}
