package fleet.tower.cli.remote;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import fleet.tower.cli.run.Narrator;
import fleet.tower.cli.run.RunEnding;
import fleet.tower.cli.run.RunFollower;
import fleet.tower.lease.RequestId;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.platform.time.TimeSource;
import fleet.tower.remote.Server;
import fleet.tower.run.StepRecord;

/** Follows the runs of a service. */
record RemoteRunFollower(Server server, Scheduler scheduler, TimeSource time) implements RunFollower {

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
}
