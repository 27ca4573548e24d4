package fleet.tower.cli.overview;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiFunction;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import fleet.tower.answer.Failures;
import fleet.tower.answer.HostJson;
import fleet.tower.answer.IntentJson;
import fleet.tower.answer.NextActions;
import fleet.tower.answer.NextStep;
import fleet.tower.answer.RemoteRefusal;
import fleet.tower.answer.Reply;
import fleet.tower.answer.RunJson;
import fleet.tower.answer.RunText;
import fleet.tower.answer.RunWaitJson;
import fleet.tower.answer.StrandedRun;
import fleet.tower.cli.run.Narrator;
import fleet.tower.cli.run.Rejections;
import fleet.tower.cli.run.RunEnding;
import fleet.tower.cli.run.RunWatch;
import fleet.tower.cli.shell.Interruptions;
import fleet.tower.home.Home;
import fleet.tower.home.RunEngine;
import fleet.tower.intent.Catalogue;
import fleet.tower.lease.Actor;
import fleet.tower.lease.Door;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.RequestId;
import fleet.tower.platform.ErrorCode;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonReader;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.platform.list.Page;
import fleet.tower.platform.list.RowBudget;
import fleet.tower.platform.list.Rows;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.run.Run;
import fleet.tower.run.RunStatus;
import fleet.tower.run.RunStore;
import fleet.tower.run.execute.RunHandle;
import fleet.tower.run.submit.Runs;
import fleet.tower.run.submit.SubmitOutcome;

/**
 * The intents and runs of a home on this host.
 *
 * @param interruptions end the following of a run
 */
public record HomeOverviewClient(Home home, Interruptions interruptions) implements OverviewClient {

  @Override
  public JsonObject intents() {
    return JsonReader.readOwn(IntentJson.catalogue(home.catalogue()).end());
  }

  @Override
  public JsonObject intent(String name) {
    Catalogue catalogue = home.catalogue();
    return catalogue.find(name).map(intent -> JsonReader.readOwn(IntentJson.intent(intent).end()))
        .orElseThrow(() -> new RemoteRefusal(ErrorCode.INTENT_NOT_FOUND, Rejections.reply(
            new SubmitOutcome.UnknownIntent(name, catalogue.closest(name)), name, Map.of(), catalogue)));
  }

  @Override
  public JsonObject runs(RunStore.Query query, @Nullable String cursor) {
    Page page = query.page(cursor);
    Rows<Run> runs = ask(engine -> Rows.collect(page, RowBudget.MAX_SIZE, run -> RunJson.summary(run).end(),
        reader -> engine.runs().read(query.of(page), reader)));
    return JsonReader.readOwn(runs.json("runs", RunJson::summary).end());
  }

  @Override
  public List<StrandedRun> stranded(LeaseName lock) {
    return home.runs().hasRecorded(StrandedRun.query(lock)) ? ask(engine -> StrandedRun.of(lock, engine)) : List.of();
  }

  @Override
  public JsonObject hosts() {
    return ask(engine -> JsonReader.readOwn(HostJson.hosts(home.runs().hosts(engine).list()).end()));
  }

  @Override
  public JsonObject run(RequestId id) {
    Optional<JsonObject> found = ask(engine -> engine.runs().find(id).map(handle -> {
      Run run = handle.run();
      JsonWriter json = RunJson.run(run, step -> engine.logs().tail(run, step));
      engine.runs().waitOf(run, handle).ifPresent(wait -> json.put("waiting", RunWaitJson.of(wait)));
      return JsonReader.readOwn(RunJson.withParams(json, run).end());
    }));
    return found.orElseThrow(() -> new RemoteRefusal(ErrorCode.RUN_NOT_FOUND, unknown(id)));
  }

  @Override
  public RunEnding follow(RequestId id, Narrator narrator) {
    AtomicBoolean isInterrupted = new AtomicBoolean();
    interruptions.on(() -> isInterrupted.set(true));
    return watch(id, (engine, handle) -> {
      try (InterruptionWatch _ = new InterruptionWatch(isInterrupted::get, handle, home.scheduler())) {
        return new RunWatch(engine.logs(), narrator, isInterrupted::get).follow(handle);
      }
    });
  }

  @Override
  public RunEnding await(RequestId id, @Nullable Duration limit) {
    return watch(id, (_, handle) -> {
      AtomicBoolean isOver = new AtomicBoolean();
      Scheduler.Pending timer = limit == null ? () -> {} : home.scheduler().after(limit, () -> {
        isOver.set(true);
        handle.wake();
      });
      try {
        return await(handle, isOver::get);
      } finally {
        timer.cancel();
      }
    });
  }

  private static Run await(RunHandle handle, BooleanSupplier isOver) {
    for (;;) {
      long seen = handle.version();
      Run run = handle.run();
      if (run.status().isFinished() || isOver.getAsBoolean()) {
        return run;
      }
      handle.awaitChange(seen);
    }
  }

  private RunEnding watch(RequestId id, BiFunction<RunEngine, RunHandle, Run> watching) {
    return ask(engine -> {
      RunHandle handle = engine.runs().find(id)
          .orElseThrow(() -> new RemoteRefusal(ErrorCode.RUN_NOT_FOUND, unknown(id)));
      Run run = watching.apply(engine, handle);
      return new RunEnding(run, step -> engine.logs().tail(run, step), placeOfOutput(run), false);
    });
  }

  /** The files of this host, or the command that reads those of another one. */
  private String placeOfOutput(Run run) {
    String host = run.hostId();
    return host == null || host.equals(home.hostId())
        ? home.root().resolve("logs/runs").resolve(run.requestId().value()).toString()
        : "tower runs " + run.requestId() + " --follow";
  }

  /** This process does not execute the run; the one that does gets the request through the database. */
  @Override
  public Reply cancel(RequestId id) {
    return switch (ask(engine -> engine.runs().cancel(id, actor()))) {
      case Runs.CancelOutcome.Requested() ->
        OverviewCommands.asked(id, JsonWriter.line().put("request_id", id.value()).end());
      case Runs.CancelOutcome.Finished(Run run) -> Failures.of(ErrorCode.RUN_FINISHED,
          "run " + id + (run.status() == RunStatus.INTERRUPTED ? " " + RunText.ended(run) : " has already finished"),
          "see `tower runs " + id + "`", context(id)).next(see(id));
      case Runs.CancelOutcome.NotFound() -> unknown(id);
    };
  }

  /** Writes to a file if the executor is on this host; otherwise the executor gets the request through the database. */
  @Override
  public Reply beat(RequestId id) {
    if (home.runs().outsideBeats().send(id)) {
      return beaten(id, true);
    }
    return switch (ask(engine -> engine.runs().beat(id, actor()))) {
      case Runs.BeatOutcome.Recorded() -> beaten(id, true);
      case Runs.BeatOutcome.NotNeeded() -> beaten(id, false);
      case Runs.BeatOutcome.Finished() -> Failures.of(ErrorCode.RUN_FINISHED,
          "run " + id + " has already finished; it needs no progress reports", "see `tower runs " + id + "`",
          context(id)).next(see(id));
      case Runs.BeatOutcome.NotFound() -> unknown(id);
    };
  }

  private Actor actor() {
    return home.actor(Optional.empty(), Door.CLI);
  }

  private static Reply beaten(RequestId id, boolean isNeeded) {
    return OverviewCommands.beaten(id, JsonReader.readOwn(RunJson.beat(id, isNeeded).end()));
  }

  private static Reply unknown(RequestId id) {
    return Failures.of(ErrorCode.RUN_NOT_FOUND, "there is no run " + id, "see `tower runs`", context(id));
  }

  private static List<NextStep> see(RequestId id) {
    return List.of(NextActions.see(id, "see its state"));
  }

  private static JsonWriter context(RequestId id) {
    return JsonWriter.line().put("request_id", id.value());
  }

  private <T> T ask(Function<RunEngine, T> question) {
    RunEngine engine = home.runs().engine();
    try {
      return question.apply(engine);
    } finally {
      engine.close(Duration.ZERO);
    }
  }
}
