package fleet.tower.cli.overview;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

import fleet.tower.answer.Table;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.time.TimeSpans;
import fleet.tower.platform.time.Timestamps;
import fleet.tower.run.RunStatus;

/** Runs as a table, one line a run. */
final class RunTable {
  private RunTable() {}

  static List<String> lines(List<JsonObject> runs, Instant now) {
    List<String> ids = RunIds.shortened(runs.stream().map(run -> text(run, "request_id")).toList());
    List<List<String>> rows = new ArrayList<>();
    rows.add(List.of("RUN", "INTENT", "STATUS", "ACTOR", "HOST", "LOCK", "REQUESTED AT", "DURATION", "FAILED AT"));
    for (int i = 0; i < runs.size(); i++) {
      JsonObject run = runs.get(i);
      rows.add(List.of(ids.get(i), text(run, "intent"), status(run), text(run, "actor"), text(run, "host_id"),
          text(run, "lock_name"), text(run, "created_at"),
          duration(run, now).map(TimeSpans::precise).orElse(""), text(run, "failure_step")));
    }
    return Table.lines(rows);
  }

  /** How long its steps took, or take so far; empty before the first. Waiting does not count. */
  static Optional<Duration> duration(JsonObject run, Instant now) {
    List<JsonObject> begun = Stream.concat(run.objects("steps").stream(), run.objects("rollback").stream())
        .filter(step -> step.text("started_at").isPresent()).toList();
    if (begun.isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(begun.stream().map(step -> text(step, "status").equals("running")
        ? step.text("started_at").flatMap(Timestamps::parse).map(at -> Duration.between(at, now)).orElse(Duration.ZERO)
        : Duration.ofMillis(step.integer("duration_ms").orElse(0))).reduce(Duration.ZERO, Duration::plus));
  }

  /** The status with what is known besides it; a run that ended without its lock was not alone. */
  static String status(JsonObject run) {
    boolean isLost = run.object("lock").filter(lock -> lock.isTrue("lost")).isPresent();
    String status = text(run, "status");
    return status + (isLost && !status.equals(RunStatus.LOCK_LOST.toString()) ? ", lock lost" : "")
        + (run.isTrue("unchanged") ? ", unchanged" : "")
        + run.text("settled").map(answer -> ", " + answer.replace('_', ' ')).orElse("");
  }

  private static String text(JsonObject json, String key) {
    return json.text(key).orElse("");
  }
}
