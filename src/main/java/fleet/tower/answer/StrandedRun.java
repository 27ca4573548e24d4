package fleet.tower.answer;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

import fleet.tower.home.RunEngine;
import fleet.tower.lease.LeaseName;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.run.Run;
import fleet.tower.run.RunStatus;
import fleet.tower.run.RunStore;
import fleet.tower.run.submit.RunWait;

/** A queued run that no live host takes, and why. */
public record StrandedRun(String requestId, String intent, String problem) {
  public static final long MOST = 20;

  /** The query for the newest waiting runs, among which stranded ones are searched. */
  public static RunStore.Query query(LeaseName lock) {
    return new RunStore.Query(null, RunStatus.WAITING, null, lock.value(), null, null, (int) MOST);
  }

  /** The newest stranded runs that take a lock. Changes nothing. */
  public static List<StrandedRun> of(LeaseName lock, RunEngine engine) {
    return engine.store().list(query(lock)).stream().filter(Run::isQueued)
        .flatMap(run -> of(run, engine).stream()).toList();
  }

  private static Optional<StrandedRun> of(Run run, RunEngine engine) {
    return engine.runs().find(run.requestId()).flatMap(handle -> engine.runs().waitOf(run, handle))
        .flatMap(wait -> wait instanceof RunWait.ForExecutor(var _, int _, String problem, var _)
            ? Optional.ofNullable(problem)
            : Optional.empty())
        .map(problem -> new StrandedRun(run.requestId().value(), run.intent(), problem));
  }

  /** A run of a service's answer, if it is stranded. */
  public static Stream<StrandedRun> of(JsonObject run) {
    return run.object("waiting").filter(wait -> text(wait, "state").equals("queued"))
        .flatMap(wait -> wait.text("problem"))
        .map(problem -> new StrandedRun(text(run, "request_id"), text(run, "intent"), problem)).stream();
  }

  private static String text(JsonObject json, String key) {
    return json.text(key).orElse("");
  }
}
