package fleet.tower.dispatch;

import java.util.function.Supplier;

import fleet.tower.execution.Prepared;
import fleet.tower.intent.Catalogue;
import fleet.tower.lease.RequestId;
import fleet.tower.lock.Locks;
import fleet.tower.time.TimeSource;

/** Tells what requests would do, without a lock taken or a thing begun; it needs nothing that runs anything. */
public final class Plans {
  private final Preparation preparation;
  private final Locks locks;

  public Plans(Catalogue catalogue, Locks locks, Supplier<RequestId> ids, TimeSource time) {
    this.preparation = new Preparation(catalogue, ids, time);
    this.locks = locks;
  }

  /** What would be done. */
  public Planning plan(RunRequest request) {
    return switch (preparation.prepare(request)) {
      case Preparation.NotReady(Submission.Rejected why) -> new Planning.NotPlanned(why);
      case Preparation.Ready(Prepared prepared) -> new Planning.Planned(Plan.of(prepared, locks));
    };
  }
}
