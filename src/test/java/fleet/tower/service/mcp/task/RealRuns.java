package fleet.tower.service.mcp.task;

import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import fleet.tower.home.Home;
import fleet.tower.home.HomeListener;
import fleet.tower.home.RunEngine;
import fleet.tower.lease.Actor;
import fleet.tower.lease.Door;
import fleet.tower.lease.RequestId;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.platform.time.system.SystemTime;
import fleet.tower.run.Run;
import fleet.tower.run.members.Member;
import fleet.tower.run.submit.RunRequest;
import fleet.tower.run.submit.SubmitOutcome;
import fleet.tower.service.call.lock.RetryAfter;
import fleet.tower.service.mcp.tool.ToolResult;
import fleet.tower.service.mcp.wire.Exchange;
import fleet.tower.service.mcp.wire.Feature;
import fleet.tower.service.mcp.wire.Revision;

/** Calls that run real processes of a real home. */
final class RealRuns implements AutoCloseable {
  private final Home home;
  final RunEngine engine;
  private final FollowedRuns followed;
  private final TasksFeature feature;

  /** @param database the database of a fleet; null for none */
  RealRuns(Path root, String host, @Nullable String database) {
    Map<String, String> settings = new HashMap<>(
        Map.of("TOWER_HOST_ID", host, "TOWER_LOCK_INSECURE_DIRECTORY", "true"));
    if (database != null) {
      settings.put("TOWER_DATABASE_URL", database);
    }
    home = new Home(root, settings, _ -> {}, HomeListener.NONE);
    engine = home.runs().engine(Member.Kind.SERVICE);
    Scheduler scheduler = SystemTime.scheduler();
    RunResults results = new RunResults(engine.logs(), new RetryAfter(engine.runs(), home.time()),
        Follow.Repeater::new);
    RunTasks tasks = new RunTasks(engine.runs(), results, home.time(), Duration.ofDays(90));
    followed = new FollowedRuns(engine.runs(), new RunWaits(scheduler, engine.logs()), results, tasks,
        new FollowLimits(Duration.ofMillis(100), Duration.ofSeconds(45)));
    feature = new TasksFeature(tasks, engine.runs());
  }

  private SubmitOutcome.Accepted submit(String intent, String id) {
    SubmitOutcome outcome = engine.runs().submit(new RunRequest(intent, Map.of(), new RequestId(id), null,
        new Run.Origin(new Actor("alice", Door.MCP), "{}", null), RunRequest.Terms.PLAIN, null, null));
    if (outcome instanceof SubmitOutcome.Accepted accepted) {
      return accepted;
    }
    throw new AssertionError("not accepted: " + outcome);
  }

  /** Requests a run of an intent without parameters and follows it. */
  ToolResult call(String intent, String id, Exchange exchange) {
    SubmitOutcome.Accepted accepted = submit(intent, id);
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
    engine.close(Duration.ZERO);
    home.close();
  }
}
