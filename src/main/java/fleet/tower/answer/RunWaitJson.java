package fleet.tower.answer;

import org.jspecify.annotations.Nullable;

import fleet.tower.foreign.ForeignLock;
import fleet.tower.lease.Age;
import fleet.tower.lease.Decision;
import fleet.tower.lease.Lease;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.LeaseState;
import fleet.tower.lock.LockView;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.run.submit.RunWait;

/** What a run waits for, as JSON, the same at both doors. Positions count from 1. */
public final class RunWaitJson {
  private RunWaitJson() {}

  /** The member {@code waiting} of a run. */
  public static JsonWriter of(RunWait wait) {
    return switch (wait) {
      case RunWait.ForExecutor(var name, int before, String absence, Decision.Barred barred) -> queued(
          named(name).put("state", "queued").put("position", before + 1),
          barred == null ? absence : "it is " + LockText.describe(barred));
      case RunWait.ForLock lock -> lock(lock);
      case RunWait.ForTool(var name, ForeignLock.Refusal refusal) -> named(name).put("state", "foreign_lock")
          .put("foreign_lock", refusal.name().toString()).put("foreign_state", refusal.why().describe());
      case RunWait.Unknown(var name, String problem) -> named(name).put("state", "unknown").put("problem", problem);
    };
  }

  private static JsonWriter named(@Nullable LeaseName name) {
    return name == null ? JsonWriter.line() : JsonWriter.line().put("lock_name", name.value());
  }

  private static JsonWriter queued(JsonWriter json, @Nullable String absence) {
    return absence == null ? json : json.put("problem", absence);
  }

  private static JsonWriter lock(RunWait.ForLock wait) {
    LockView lock = wait.lock();
    JsonWriter json = named(lock.name()).put("state", lock.condition());
    if (wait.isInQueue()) {
      json.put("position", wait.ahead().size() + 1);
    }
    json.list("ahead", LockJson.queue(wait.ahead()));
    if (lock.leaseState() instanceof LeaseState.Held(Lease lease, Age _)) {
      json.put("held_by", LockJson.heldBy(lease));
    }
    LockJson.putIfGone(json, lock);
    return lock.isFrozen() ? json.put("frozen", FreezeJson.frozen(lock.name(), lock.freeze())) : json;
  }
}
