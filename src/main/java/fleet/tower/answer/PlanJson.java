package fleet.tower.answer;

import fleet.tower.foreign.ForeignLockJson;
import fleet.tower.intent.Intent;
import fleet.tower.lease.LeaseState;
import fleet.tower.lock.LockView;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.run.submit.Plan;

/** Plans as JSON, the same at both doors. */
public final class PlanJson {
  private PlanJson() {}

  /** A plan. */
  public static JsonWriter plan(Plan plan) {
    Intent intent = plan.prepared().intent();
    LockView lock = plan.lock();
    JsonWriter json = JsonWriter.line().put("intent", intent.name()).put("intent_version", intent.version())
        .put("mode", intent.mode().toString()).put("heartbeat", intent.controls().heartbeat().toString())
        .put("lock_name", lock == null ? null : lock.name().value()).put("lock_state", plan.state());
    if (lock != null && lock.leaseState() instanceof LeaseState.Held held) {
      json.put("held_by", LockJson.heldBy(held.lease()));
      LockJson.putIfGone(json, lock);
    }
    if (lock != null && lock.isFrozen()) {
      json.put("frozen", FreezeJson.frozen(lock.name(), lock.freeze()));
    }
    if (plan.seen() != null) {
      json.put("probe", ProbeJson.of(plan.seen(), plan.prepared().desired()));
    }
    return json
        .list("foreign_locks",
            plan.foreign().stream().map(foreign -> JsonWriter.line().put("use", foreign.use())
                .members(ForeignLockJson.state(foreign.name(), foreign.state())).end()).toList())
        .raw("steps", plan.document().member("steps")).raw("rollback", plan.document().member("rollback"))
        .list("warnings", plan.warnings().stream().map(JsonWriter::quote).toList())
        .raw("plan", plan.document().text()).put("plan_hash", plan.document().hash());
  }
}
