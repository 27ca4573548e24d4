package fleet.tower.dispatch;

import java.util.function.Supplier;

import fleet.tower.exclusive.ForeignLocks;
import fleet.tower.execution.Prepared;
import fleet.tower.intent.Catalogue;
import fleet.tower.lease.RequestId;
import fleet.tower.lock.Locks;
import fleet.tower.run.Tracing;
import fleet.tower.time.TimeSource;

/** The answer to somebody who wants to know what a request would do. */
public sealed interface Planning {

  /** It would do this. */
  record Planned(Plan plan) implements Planning {}

  /** It would be rejected. */
  record NotPlanned(Submission.Rejected why) implements Planning {}

  /** Finds it out, without a lock taken or a thing begun or written; it needs nothing that runs anything. */
  static Planning of(RunRequest request, Catalogue catalogue, Locks locks, ForeignLocks foreign,
      Supplier<RequestId> ids, TimeSource time) {
    return of(request, new Preparation(catalogue, ids, time, Tracing.NONE), locks, foreign);
  }

  private static Planning of(RunRequest request, Preparation preparation, Locks locks, ForeignLocks foreign) {
    return switch (preparation.prepare(request)) {
      case Preparation.NotReady(Submission.Rejected why) -> new NotPlanned(why);
      case Preparation.Ready(Prepared prepared) -> new Planned(Plan.of(prepared, locks, foreign));
    };
  }
}
