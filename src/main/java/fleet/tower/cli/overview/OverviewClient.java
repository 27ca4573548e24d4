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

  /** One run with the ends of what its steps printed; what there is not is told by an answer, thrown. */
  JsonObject run(RequestId id);

  /** {@code hosts}: who is alive, and what each runs and holds. */
  JsonObject hosts();

  /** Asks that a run be stopped, and says what came of that. */
  Reply cancel(RequestId id);

  /** Says that a run gets on, and what came of that. */
  Reply beat(RequestId id);
}
