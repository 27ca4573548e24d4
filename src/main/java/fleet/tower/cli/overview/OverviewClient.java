package fleet.tower.cli.overview;

import org.jspecify.annotations.Nullable;

import fleet.tower.cli.shell.Reply;
import fleet.tower.lease.RequestId;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.run.RunStatus;

/** The intents, runs and hosts of a home or of a service. Both answer with the same JSON. */
public interface OverviewClient {

  /** {@code intents} and the {@code complaints} about their files. */
  JsonObject intents();

  /** {@code runs}, the newest first. */
  JsonObject runs(@Nullable String intent, @Nullable RunStatus status, int limit);

  /** One run with the end of each step's output; an unknown run is a thrown refusal. */
  JsonObject run(RequestId id);

  /** {@code hosts}: whether each is alive, and its runs and locks. */
  JsonObject hosts();

  /** Requests the cancellation of a run. */
  Reply cancel(RequestId id);

  /** Reports progress of a run. */
  Reply beat(RequestId id);
}
