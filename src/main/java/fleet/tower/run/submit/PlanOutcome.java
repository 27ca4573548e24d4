package fleet.tower.run.submit;

import java.util.function.Supplier;

import fleet.tower.foreign.ForeignLocks;
import fleet.tower.intent.Catalogue;
import fleet.tower.lease.RequestId;
import fleet.tower.lock.Locks;
import fleet.tower.platform.secret.HomeKey;
import fleet.tower.platform.time.TimeSource;
import fleet.tower.run.Tracing;
import fleet.tower.run.execute.PreparedRun;

/** The outcome of a plan: what a request would do. */
public sealed interface PlanOutcome {

  /** The request would be accepted. */
  record Planned(Plan plan) implements PlanOutcome {}

  /** The request would be rejected. */
  record NotPlanned(SubmitOutcome.Rejected why) implements PlanOutcome {}

  /** Plans a request; takes and writes nothing, and needs no executor. */
  static PlanOutcome of(RunRequest request, Catalogue catalogue, Locks locks, ForeignLocks foreign,
      Supplier<RequestId> ids, TimeSource time, HomeKey key, EligibleHosts hosts) {
    return of(request, new Preparation(catalogue, ids, time, key, Tracing.NONE), locks, foreign, hosts);
  }

  /** The same for an executor. */
  static PlanOutcome of(RunRequest request, Preparation preparation, Locks locks, ForeignLocks foreign,
      EligibleHosts hosts) {
    return switch (preparation.prepareNow(request)) {
      case Preparation.NotReady(SubmitOutcome.Rejected why) -> new NotPlanned(why);
      case Preparation.Ready(PreparedRun prepared) -> new Planned(Plan.of(prepared,
          preparation.shown(request, prepared), locks, foreign, hosts));
    };
  }
}
