package fleet.tower.service.call.overview;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

import fleet.tower.lease.LeaseName;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.platform.time.TimeSource;
import fleet.tower.run.Run;
import fleet.tower.run.RunStatus;
import fleet.tower.run.RunStore;
import fleet.tower.run.submit.Runs;

/** The newest runs that were interrupted in the last week. */
final class InterruptedSource implements OverviewSource {
  private static final String INTERRUPTED = "interrupted";
  private static final Duration SHOWN = Duration.ofDays(7);
  /** A run that was requested before that is not found; it may have waited for weeks. */
  private static final Duration SEARCHED = Duration.ofDays(30);
  private static final int MOST = 50;

  private final Runs runs;
  private final TimeSource time;

  InterruptedSource(Runs runs, TimeSource time) {
    this.runs = runs;
    this.time = time;
  }

  @Override
  public List<String> sections() {
    return List.of(INTERRUPTED);
  }

  @Override
  public Rows read() {
    Instant now = time.now();
    Builder rows = Rows.of(sections());
    runs.read(new RunStore.Query(null, RunStatus.INTERRUPTED, null, null, now.minus(SEARCHED), null, MOST), placed -> {
      Run run = placed.row();
      Instant at = run.finishedAt();
      if (at != null && at.isAfter(now.minus(SHOWN))) {
        rows.put(INTERRUPTED, run.requestId().value(), row(run, at));
      }
      return true;
    });
    return rows.build();
  }

  private static JsonWriter row(Run run, Instant at) {
    JsonWriter row = JsonWriter.line().put("request_id", run.requestId().value()).put("intent", run.intent())
        .put("actor", run.actor().name());
    LeaseName lock = run.header().lockName();
    if (lock != null) {
      row.put("lock_name", lock.value());
    }
    return row.put("finished_at", at);
  }
}
