package fleet.tower.cli.remote;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import fleet.tower.answer.Reply;
import fleet.tower.answer.StrandedRun;
import fleet.tower.cli.overview.OverviewClient;
import fleet.tower.cli.overview.OverviewCommands;
import fleet.tower.cli.run.Narrator;
import fleet.tower.cli.run.RunEnding;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.RequestId;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonReader;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.platform.time.TimeSource;
import fleet.tower.platform.time.Timestamps;
import fleet.tower.remote.Server;
import fleet.tower.run.RunStatus;
import fleet.tower.run.RunStore;
import fleet.tower.run.StepRecord;

/** The intents and runs of a service. */
record RemoteOverviewClient(Server server, Scheduler scheduler, TimeSource time) implements OverviewClient {

  @Override
  public JsonObject intents() {
    return server.get("/intents").json();
  }

  @Override
  public JsonObject intent(String name) {
    return server.get("/intents/" + Server.part(name)).json();
  }

  @Override
  public JsonObject runs(RunStore.Query query, @Nullable String cursor) {
    Instant since = query.since();
    RunStatus status = query.status();
    String filters = parameter("intent", query.intent())
        + parameter("status", status == null ? null : status.toString()) + parameter("actor", query.actor())
        + parameter("lock_name", query.lock()) + parameter("since", since == null ? null : Timestamps.format(since))
        + parameter("id_prefix", query.idPrefix());
    return JsonReader.readOwn(RemotePages.read("runs", query.limit(), cursor,
        (limit, next) -> server.get("/runs?limit=" + limit + filters + next).json())
        .jsonOf("runs", JsonObject::raw).end());
  }

  private static String parameter(String name, @Nullable String value) {
    return value == null ? "" : "&" + name + "=" + Server.part(value);
  }

  @Override
  public RunEnding follow(RequestId id, Narrator narrator) {
    JsonObject end = following().follow(id.value(), narrator);
    narrator.end();
    return ending(id, end);
  }

  @Override
  public RunEnding await(RequestId id, @Nullable Duration limit) {
    return ending(id, following().await(id.value(), limit));
  }

  private RemoteFollowing following() {
    return new RemoteFollowing(server, scheduler, time);
  }

  private static RunEnding ending(RequestId id, JsonObject run) {
    return new RunEnding(RunReader.run(run), step -> tail(run, step), "logs/runs/" + id + " of the service's home",
        false);
  }

  private static String tail(JsonObject run, StepRecord step) {
    return run.objects(step.kind() == StepRecord.Kind.STEP ? "steps" : "rollback").stream()
        .filter(one -> one.text("name").filter(step.name()::equals).isPresent()).findFirst()
        .flatMap(one -> one.text("output_tail")).orElse("");
  }

  @Override
  public List<StrandedRun> stranded(LeaseName lock) {
    return runs(StrandedRun.query(lock)).objects("runs").stream().filter(run -> run.get("queued") != null)
        .flatMap(run -> StrandedRun.of(run(new RequestId(run.text("request_id").orElse(""))))).toList();
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
