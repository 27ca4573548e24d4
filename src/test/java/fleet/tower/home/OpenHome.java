package fleet.tower.home;

import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

import fleet.tower.harness.Await;
import fleet.tower.home.HomeRuns.QueueHandle;
import fleet.tower.intent.Values;
import fleet.tower.lease.Actor;
import fleet.tower.lease.Door;
import fleet.tower.lease.RequestId;
import fleet.tower.run.Run;
import fleet.tower.run.execute.LockTerms;
import fleet.tower.run.members.Member;
import fleet.tower.run.submit.RunRequest;
import fleet.tower.run.submit.SubmitOutcome;
import fleet.tower.service.config.TestService;

/** A home that is open in this process, with an engine that executes real processes, without a service. */
public final class OpenHome implements AutoCloseable {
  private final Path root;
  private final Home home;
  private final RunEngine engine;
  private final QueueHandle queue;

  /** @param settings further settings, as variables of the environment */
  public OpenHome(Path root, Map<String, String> settings, Function<HomeRuns, RunEngine> start) {
    this.root = root;
    TestService.makeHome(root);
    Map<String, String> environment = new HashMap<>(Map.of("TOWER_LOCK_INSECURE_DIRECTORY", "true", "TOWER_HOST_ID",
        "tower-01"));
    environment.putAll(settings);
    home = new Home(root, environment, _ -> {}, Home.Listener.NONE);
    engine = start.apply(home.runs());
    queue = home.runs().queue(engine);
  }

  /** A home whose engine is that of a command. */
  public OpenHome(Path root) {
    this(root, Map.of(), runs -> runs.engine(Member.Kind.COMMAND));
  }

  public Path root() {
    return root;
  }

  public Home home() {
    return home;
  }

  public RunEngine engine() {
    return engine;
  }

  public QueueHandle queue() {
    return queue;
  }

  /** Writes an intent; {@code spec} is the YAML below that key. */
  public void declare(String name, String spec) {
    TestService.declare(root, name, spec);
  }

  /** Waits until the intents are read again. */
  public void awaitIntents(int count) {
    Await.until("there are " + count + " intents", () -> engine.catalogue().list().size() == count);
  }

  /** Requests a run through MCP, which must be accepted. */
  public SubmitOutcome.Accepted submit(String actor, String intent, String id, Map<String, String> params) {
    SubmitOutcome outcome = engine.runs().submit(new RunRequest(intent,
        params.entrySet().stream().collect(
            Collectors.toMap(Map.Entry::getKey, it -> new Values.Given(it.getValue(), Values.Given.Kind.WORD))),
        new RequestId(id), null, new Run.Origin(new Actor(actor, Door.MCP), "{}", null), LockTerms.PLAIN, null,
        null));
    if (outcome instanceof SubmitOutcome.Accepted accepted) {
      return accepted;
    }
    throw new AssertionError("not accepted: " + outcome);
  }

  @Override
  public void close() {
    queue.close(Duration.ZERO);
    engine.close(Duration.ZERO);
    home.close();
  }
}
