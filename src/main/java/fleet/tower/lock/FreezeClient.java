package fleet.tower.lock;

import org.jspecify.annotations.Nullable;

import fleet.tower.lease.Actor;
import fleet.tower.lease.Door;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.RequestId;
import fleet.tower.lock.FreezeStore.FreezeOutcome;
import fleet.tower.lock.FreezeStore.UnfreezeOutcome;

/** The freezes of a home ({@link Freezes}) or of a service. */
public interface FreezeClient {

  /** Refuses all new holders of a name for a while. */
  FreezeOutcome freeze(FreezeRequest request, @Nullable Door door);

  /** Lifts a freeze, whoever set it. */
  UnfreezeOutcome unfreeze(Actor actor, LeaseName name, RequestId requestId);
}
