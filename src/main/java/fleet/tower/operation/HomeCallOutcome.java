package fleet.tower.operation;

import java.util.List;

import fleet.tower.access.Caller;
import fleet.tower.audit.AuditTrail;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.platform.list.Rows;
import fleet.tower.run.members.Hosts.Host;

/** The outcome of a call about a home as a whole. */
public sealed interface HomeCallOutcome extends Outcome {

  /** All hosts. */
  record AllHosts(List<Host> hosts) implements HomeCallOutcome {}

  /** A page of the audit log, the oldest event first. */
  record Events(Rows<AuditTrail.Entry> rows) implements HomeCallOutcome {}

  /** All that is running, waiting, held or frozen, as it is kept for those who follow it. */
  record Overview(JsonWriter json) implements HomeCallOutcome {}

  /** The caller. */
  record Me(Caller caller) implements HomeCallOutcome {}
}
