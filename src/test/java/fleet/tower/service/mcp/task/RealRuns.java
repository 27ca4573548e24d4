package fleet.tower.service.mcp.task;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import fleet.tower.answer.LockEstimates;
import fleet.tower.home.OpenHome;
import fleet.tower.home.RunEngine;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.platform.time.SystemTime;
import fleet.tower.run.members.Member;
import fleet.tower.run.submit.SubmitOutcome;
import fleet.tower.service.mcp.tool.ToolResult;
import fleet.tower.service.mcp.wire.Exchange;
import fleet.tower.service.mcp.wire.Feature;
import fleet.tower.service.mcp.wire.Revision;

/** Calls that run real processes of a real home. */
final class RealRuns implements AutoCloseable {
  private final OpenHome open;
  final RunEngine engine;
  private final FollowedRuns followed;
  private final TasksFeature feature;

  /** @param database the database of a fleet; null for none */
  RealRuns(Path root, String host, @Nullable String database) {
    open = new OpenHome(root, database == null
        ? Map.of("TOWER_HOST_ID", host)
        : Map.of("TOWER_HOST_ID", host, "TOWER_DATABASE_URL", database), runs -> runs.engine(Member.Kind.SERVICE));
    engine = open.engine();
    Scheduler scheduler = SystemTime.scheduler();
    RunResults results = new RunResults(engine.logs(),
        new LockEstimates(open.home().locks(), engine.runs(), open.home().time()),
        Follow.Repeater::new);
    RunTasks tasks = new RunTasks(engine.runs(), results, open.home().time(), Duration.ofDays(90));
    followed = new FollowedRuns(engine.runs(), new RunWaits(scheduler, engine.logs()), results, tasks,
        new FollowLimits(Duration.ofMillis(100), Duration.ofSeconds(45)));
    feature = new TasksFeature(tasks, engine.runs());
  }

  /** Requests a run of an intent without parameters and follows it. */
  ToolResult call(String intent, String id, Exchange exchange) {
    SubmitOutcome.Accepted accepted = open.submit("alice", intent, id, Map.of());
    return followed.follow(accepted.handle(), accepted.replayed(), 0, exchange);
  }

  /** Sends a request about a task by alice, an agent. */
  JsonObject send(String method, String id) {
    Feature.Method called = feature.methods(Revision.V2026_07_28).get(method);
    if (called == null) {
      throw new AssertionError("no method " + method);
    }
    return RecordedExchange.json(
        called.call(RecordedExchange.accepting("\"taskId\":\"" + id + "\"")).end());
  }

  @Override
  public void close() {
    open.close();
  }
}
