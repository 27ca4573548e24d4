package fleet.tower.hammer;

import static fleet.tower.hammer.HammerCalls.json;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

import fleet.tower.harness.TestFiles;
import fleet.tower.platform.json.JsonObject;

/**
 * An operator who removes locks of live runs by force: in vain, until he abandons the run, which then is recorded and
 * stops. Each run has a lock of its own, so that none of this is an overlap.
 */
final class ForcingClient extends HammerClient {
  private static final int ATTEMPTS = 5;
  private static final Duration BETWEEN_LOOKS = Duration.ofMillis(10);

  private final HammerCalls calls;
  private final Path home;
  private final boolean alwaysAbandons;
  private int runs;

  /** @param alwaysAbandons whether he abandons each run at once, which must look like a fault */
  ForcingClient(String id, HammerCalls calls, Path home, boolean alwaysAbandons) {
    super(id);
    this.calls = calls;
    this.home = home;
    this.alwaysAbandons = alwaysAbandons;
  }

  /** The intent whose runs he takes locks from: their step names its process, and would go on for long. */
  static String spec() {
    return """
        mode: mutate
        params:
          lock: { type: string, required: true }
        controls: { lock: "${params.lock}" }
        steps:
          - name: stay
            script: |
              echo $$ >"$TOWER_HOME/stay-$TOWER_REQUEST_ID"
              exec sleep 600
        """;
  }

  @Override
  void move() throws IOException, InterruptedException {
    String run = id + "-run-" + ++runs;
    String name = "bellows-" + run;
    calls.call("POST", "/intents/stay", "{\"params\":{\"lock\":\"" + name + "\"},\"request_id\":\"" + run + "\"}",
        "Prefer", "respond-async");
    while (step(run).isEmpty()) {
      if (!status(run).equals("running")) {
        count("run " + status(run));
        return;
      }
      scheduler.pause(BETWEEN_LOOKS);
    }
    for (int i = 0; i < ATTEMPTS; i++) {
      judgeSpared(run, force(name, alwaysAbandons));
    }
    JsonObject freed = force(name, true);
    if (freed.text("lock_name").isPresent() && freed.raw().contains("\"released\":true")) {
      judgeAbandoned(run, name);
    } else {
      count("abandoned " + freed.text("error").orElse("nothing"));
    }
  }

  private JsonObject force(String name, boolean abandons) throws IOException, InterruptedException {
    return json(calls.call("POST", "/locks/" + name + "/force-release",
        "{\"reason\":\"hammer\",\"abandon\":" + abandons + "}").body());
  }

  /** A service that was killed meanwhile has left an interrupted run, which may be robbed. */
  private void judgeSpared(String run, JsonObject answer) throws IOException, InterruptedException {
    Optional<String> error = answer.text("error");
    if (error.isPresent()) {
      count("force " + error.get());
    } else if (status(run).equals("interrupted")) {
      count("force of interrupted run");
    } else {
      fault("live run robbed");
    }
  }

  private void judgeAbandoned(String run, String name) throws IOException, InterruptedException {
    String status = status(run);
    while (status.equals("running")) {
      scheduler.pause(BETWEEN_LOOKS);
      status = status(run);
    }
    count("abandoned run " + status);
    if (!status.equals("interrupted") && step(run).filter(ProcessHandle::isAlive).isPresent()) {
      fault("abandoned run goes on");
    }
    String audit = calls.call("GET", "/audit?event=lock_force_released&lock_name=" + name, "").body();
    if (!audit.contains("\"abandoned\":true")) {
      fault("abandoned run not recorded");
    }
  }

  private String status(String run) throws IOException, InterruptedException {
    return json(calls.call("GET", "/runs/" + run, "").body()).text("status").orElse("unknown");
  }

  /** The process of the run's step, once it has named itself. */
  private Optional<ProcessHandle> step(String run) {
    String pid = TestFiles.textIfAny(home.resolve("stay-" + run)).strip();
    return pid.isEmpty() ? Optional.empty() : ProcessHandle.of(Long.parseLong(pid));
  }
}
