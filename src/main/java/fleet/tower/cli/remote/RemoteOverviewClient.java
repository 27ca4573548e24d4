package fleet.tower.cli.remote;

import java.time.Duration;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import fleet.tower.cli.overview.OverviewClient;
import fleet.tower.cli.overview.OverviewCommands;
import fleet.tower.cli.server.Server;
import fleet.tower.cli.shell.Reply;
import fleet.tower.lease.RequestId;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.run.RunStatus;

/** The intents and runs of a service. */
record RemoteOverviewClient(Server server) implements OverviewClient {

  @Override
  public JsonObject intents() {
    return server.get("/intents").json();
  }

  @Override
  public JsonObject runs(@Nullable String intent, @Nullable RunStatus status, int limit) {
    return server.get("/runs?limit=" + limit + (intent == null ? "" : "&intent=" + Server.part(intent))
        + (status == null ? "" : "&status=" + status)).json();
  }

  @Override
  public JsonObject hosts() {
    return server.get("/hosts").json();
  }

  @Override
  public JsonObject run(RequestId id) {
    return server.get("/runs/" + Server.part(id.value())).json();
  }

  @Override
  public Reply cancel(RequestId id) {
    return OverviewCommands.asked(id, server.post("/runs/" + Server.part(id.value()) + "/cancel", JsonWriter.line(),
        Map.of(), Duration.ZERO).json().raw());
  }

  @Override
  public Reply beat(RequestId id) {
    return OverviewCommands.beaten(id, server.post("/runs/" + Server.part(id.value()) + "/beat", JsonWriter.line(),
        Map.of(), Duration.ZERO).json());
  }
}
