package fleet.tower.cli.remote;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import fleet.tower.home.Home;
import fleet.tower.home.RunEngine;
import fleet.tower.intent.Catalogue;
import fleet.tower.lease.RequestId;
import fleet.tower.operation.RunHandlers;
import fleet.tower.run.StepLogs;
import fleet.tower.run.submit.QueuedRuns;
import fleet.tower.run.submit.RunRequest;
import fleet.tower.run.submit.Runs;
import fleet.tower.run.submit.Runs.LookOutcome;
import fleet.tower.run.submit.Runs.PlanOutcome;

/** The intents and runs of a home, of which only what a command uses is opened. */
final class HomeRunSource implements RunHandlers.Source, AutoCloseable {
  private final Home home;
  private @Nullable RunEngine engine;

  HomeRunSource(Home home) {
    this.home = home;
  }

  @Override
  public Catalogue catalogue() {
    return home.catalogue();
  }

  /** An engine to read the runs of the home. */
  RunEngine engine() {
    RunEngine opened = engine;
    if (opened == null) {
      opened = home.runs().engine();
      engine = opened;
    }
    return opened;
  }

  @Override
  public Runs runs() {
    return engine().runs();
  }

  @Override
  public StepLogs logs() {
    return engine().logs();
  }

  @Override
  public QueuedRuns queue() {
    return home.runs().queuedRuns(engine());
  }

  @Override
  public PlanOutcome plan(RunRequest request) {
    return home.runs().plan(request);
  }

  @Override
  public LookOutcome look(RunRequest request) {
    return home.runs().look(request);
  }

  @Override
  public boolean sendsBeat(RequestId id) {
    return home.runs().outsideBeats().send(id);
  }

  @Override
  public void close() {
    if (engine != null) {
      engine.close(Duration.ZERO);
    }
  }
}
