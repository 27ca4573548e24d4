package fleet.tower.run.submit;

import fleet.tower.lease.Decision;
import fleet.tower.lease.LeaseName;
import fleet.tower.lock.LockAnswers;
import fleet.tower.platform.json.JsonWriter;

/** Why a run that had waited did not begin, as it is kept and told. */
final class Refusals {
  private Refusals() {}

  /** By the time that an executor took it, its intent was not any more what it had been checked against. */
  static String changed(String intent, String problem) {
    return JsonWriter.line().put("error", "intent_changed").put("intent", intent).put("problem", problem)
        .put("suggestion", "See the intent as it is now, and ask for the run anew").end();
  }

  /** What was in the way did not pass in time. */
  static String timeout(LeaseName name, Decision.Obstacle obstacle) {
    JsonWriter json = JsonWriter.line().put("error", "lock_wait_timeout").put("lock_name", name.value());
    return switch (obstacle) {
      case Decision.Blocked blocked -> json.put("held_by", LockAnswers.heldBy(blocked.lease())).put("suggestion",
          "Wait longer, or ask its holder").end();
      case Decision.Frozen frozen -> LockAnswers.frozen(json, frozen).put("suggestion",
          "Wait longer, or ask who froze it").end();
    };
  }

  /** The place where locks are kept does not work. */
  static String unavailable(LeaseName name, String problem) {
    return JsonWriter.line().put("error", "storage_unavailable").put("lock_name", name.value())
        .put("problem", problem).put("suggestion", "See `tower doctor`").end();
  }

  /** So many wait for the lock that nobody else may. */
  static String tooMany(LeaseName name, int limit) {
    return JsonWriter.line().put("error", "too_many_waiters").put("lock_name", name.value()).put("waiters", limit)
        .put("suggestion", "Try again when fewer wait").end();
  }
}
