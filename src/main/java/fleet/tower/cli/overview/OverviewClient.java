package fleet.tower.cli.overview;

import java.time.Duration;
import java.util.List;

import org.jspecify.annotations.Nullable;

import fleet.tower.answer.Reply;
import fleet.tower.answer.StrandedRun;
import fleet.tower.cli.run.Narrator;
import fleet.tower.cli.run.RunEnding;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.RequestId;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.run.RunStore;

/** The intents, runs and hosts of a home or of a service. Both answer with the same JSON. */
public interface OverviewClient {

  /** {@code intents} and the {@code complaints} about their files. */
  JsonObject intents();

  /** One of the intents; an unknown one is a thrown refusal. */
  JsonObject intent(String name);

  /** {@code runs}, the newest first. */
  default JsonObject runs(RunStore.Query query) {
    return runs(query, null);
  }

  /** A page of them, with the cursor of the {@code next} one; {@code cursor} is null for the first page. */
  JsonObject runs(RunStore.Query query, @Nullable String cursor);

  /** One run with the end of each step's output; an unknown run is a thrown refusal. */
  JsonObject run(RequestId id);

  /** Shows a run from its beginning to its end, or until this process must end; the run may continue then. */
  RunEnding follow(RequestId id, Narrator narrator);

  /** The run once it has ended, or its state when the limit is reached; null for no limit. */
  RunEnding await(RequestId id, @Nullable Duration limit);

  /** {@code hosts}: whether each is alive, and its runs and locks. */
  JsonObject hosts();

  /** The queued runs that take a lock and that no live host takes. */
  List<StrandedRun> stranded(LeaseName lock);

  /** Requests the cancellation of a run. */
  Reply cancel(RequestId id);

  /** Reports progress of a run. */
  Reply beat(RequestId id);
}
