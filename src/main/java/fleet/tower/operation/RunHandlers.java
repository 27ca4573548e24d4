package fleet.tower.operation;

import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import fleet.tower.access.Caller;
import fleet.tower.access.Places;
import fleet.tower.access.Role;
import fleet.tower.home.RunEngine;
import fleet.tower.intent.Catalogue;
import fleet.tower.intent.Intent;
import fleet.tower.intent.Values;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.RequestId;
import fleet.tower.lock.AcquireRequest.Metadata;
import fleet.tower.operation.Handler.Request;
import fleet.tower.operation.RunCallOutcome.Chosen;
import fleet.tower.operation.RunCallOutcome.Seen;
import fleet.tower.platform.InvalidValue;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.list.Page;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.platform.time.TimeSource;
import fleet.tower.run.Observation;
import fleet.tower.run.Run;
import fleet.tower.run.RunStatus;
import fleet.tower.run.RunStore;
import fleet.tower.run.StepLogs;
import fleet.tower.run.StepRecord;
import fleet.tower.run.TraceContext;
import fleet.tower.run.execute.LockTerms;
import fleet.tower.run.execute.RunHandle;
import fleet.tower.run.submit.PlanHash;
import fleet.tower.run.submit.QueuedRuns;
import fleet.tower.run.submit.RunRequest;
import fleet.tower.run.submit.Runs;
import fleet.tower.run.submit.Runs.LookOutcome;
import fleet.tower.run.submit.Runs.PlanOutcome;
import fleet.tower.run.submit.Settlements;
import fleet.tower.run.submit.SubmitOutcome;

/** Carries out the operations on intents and their runs. */
public final class RunHandlers {
  private final Source source;
  private final Scheduler scheduler;
  private final TimeSource time;
  private final WaitingCalls waits;

  /** The intents and runs of a process, which opens what is used. */
  public interface Source {
    Catalogue catalogue();

    Runs runs();

    StepLogs logs();

    QueuedRuns queue();

    /** The plan of a run. */
    default PlanOutcome plan(RunRequest request) {
      return runs().plan(request);
    }

    /** What the probe of an intent sees. */
    default LookOutcome look(RunRequest request) {
      return runs().look(request);
    }

    /** Reports the progress of a run to its executor on this host; false if that must be asked otherwise. */
    default boolean sendsBeat(RequestId id) {
      return false;
    }

    /** Those of an engine that lives as long as its process. */
    static Source of(RunEngine engine, QueuedRuns queue) {
      return new Standing(engine.catalogue(), engine.runs(), engine.logs(), queue);
    }
  }

  /** What lives as long as its process. */
  public record Standing(Catalogue catalogue, Runs runs, StepLogs logs, QueuedRuns queue) implements Source {}

  public RunHandlers(Source source, Scheduler scheduler, TimeSource time, WaitingCalls waits) {
    this.source = source;
    this.scheduler = scheduler;
    this.time = time;
    this.waits = waits;
  }

  /** The handler of each operation. */
  public Map<Operation, Handler> all() {
    Map<Operation, Handler> handlers = new LinkedHashMap<>();
    handlers.put(RunOperations.LIST_INTENTS, request -> new RunCallOutcome.Intents(source.catalogue().list(),
        source.catalogue().complaints(), request.caller()));
    handlers.put(RunOperations.VIEW_INTENT, this::intent);
    handlers.put(RunOperations.SUBMIT, this::submit);
    handlers.put(RunOperations.PLAN, this::plan);
    handlers.put(RunOperations.PROBE, this::probe);
    handlers.put(RunOperations.LIST, this::list);
    handlers.put(RunOperations.VIEW, this::view);
    handlers.put(RunOperations.CANCEL, this::cancel);
    handlers.put(RunOperations.SETTLE, this::settle);
    handlers.put(RunOperations.BEAT, this::beat);
    handlers.put(RunOperations.OUTPUT, this::output);
    handlers.put(RunOperations.SEARCH, this::search);
    return handlers;
  }

  private Outcome intent(Request request) {
    String name = request.given().get(RunOperations.INTENT);
    Catalogue catalogue = source.catalogue();
    return catalogue.find(name).<Outcome>map(intent -> new RunCallOutcome.OneIntent(intent, request.caller()))
        .orElseGet(() -> refused(new SubmitOutcome.UnknownIntent(name, catalogue.closest(name)), name, Map.of(),
            request.caller()));
  }

  private Outcome list(Request request) {
    Given given = request.given();
    RunStore.Query wanted = new RunStore.Query(given.orNull(RunOperations.OF_INTENT),
        given.find(RunOperations.STATUS).map(RunHandlers::status).orElse(null), given.orNull(RunOperations.OF_ACTOR),
        given.find(RunOperations.OF_LOCK).map(LeaseName::new).map(LeaseName::value).orElse(null),
        given.orNull(RunOperations.SINCE), given.orNull(RunOperations.ID_PREFIX),
        given.get(RunOperations.LIMIT).intValue());
    Page page = wanted.page(given.orNull(CommonArgs.CURSOR));
    return new RunCallOutcome.Listed(page, reader -> source.runs().read(wanted.of(page), reader));
  }

  private static RunStatus status(String text) {
    return Stream.of(RunStatus.values()).filter(status -> status.toString().equals(text)).findFirst().orElseThrow();
  }

  private static RequestId id(Request request) {
    return new RequestId(request.given().get(RunOperations.RUN));
  }

  private Outcome found(Request request, Function<RunHandle, Outcome> action) {
    RequestId id = id(request);
    return source.runs().find(id).map(action).orElseGet(() -> new RunCallOutcome.NotFound(id));
  }

  /** The state of a run once it has ended, or when the caller's patience runs out. */
  private Outcome view(Request request) {
    Given given = request.given();
    Preference preference = given.find(RunOperations.END_WAIT).map(Preference::waiting)
        .orElseGet(() -> given.find(RunOperations.PREFER).orElse(Preference.NONE));
    return found(request, handle -> {
      if (preference.limit() == null || preference.isAsync()) {
        return new RunCallOutcome.Viewed(seen(handle.run(), handle), Preference.NONE);
      }
      Run run;
      try (var _ = waits.enter(request.caller())) {
        run = await(handle, preference.limit(), request.caller());
      }
      requireValid(request.caller());
      return new RunCallOutcome.Viewed(seen(run, handle), preference);
    });
  }

  /** A service that is closing does not read what the run waits for, because the stores may be closed already. */
  private Seen seen(Run run, RunHandle handle) {
    return new Seen(run, handle, source.logs(),
        waits.isClosing() ? Optional.empty() : source.runs().waitOf(run, handle));
  }

  private static void requireValid(Caller caller) {
    if (!caller.credential().isValid()) {
      throw new TokenRevoked();
    }
  }

  /** The run when it ends, or its current state when the time is up, the service stops, or the token is revoked. */
  private Run await(RunHandle handle, @Nullable Duration limit, Caller caller) {
    AtomicBoolean isOver = new AtomicBoolean();
    Scheduler.Pending timer = limit == null ? () -> {} : scheduler.after(limit, () -> {
      isOver.set(true);
      handle.wake();
    });
    try (var _ = waits.whenRevoked(caller, handle::wake)) {
      for (;;) {
        long seen = handle.version();
        Run run = handle.run();
        if (run.status().isFinished() || !caller.credential().isValid() || isOver.get() || waits.isClosing()) {
          return run;
        }
        handle.awaitEnd(seen);
      }
    } finally {
      timer.cancel();
    }
  }

  private Outcome cancel(Request request) {
    RequestId id = id(request);
    Caller caller = request.caller();
    return found(request, handle -> {
      caller.requireOwn(handle.run().actor().name(), "cancel run " + id);
      return switch (source.runs().cancel(id, caller.actor())) {
        case Runs.CancelOutcome.Requested() -> new RunCallOutcome.Cancelling(new Seen(handle, source.logs()));
        case Runs.CancelOutcome.Finished(Run ended) -> new RunCallOutcome.Ended(ended);
        case Runs.CancelOutcome.NotFound() -> new RunCallOutcome.NotFound(id);
      };
    });
  }

  private Outcome beat(Request request) {
    RequestId id = id(request);
    if (source.sendsBeat(id)) {
      return new RunCallOutcome.Beaten(id, true);
    }
    Caller caller = request.caller();
    return found(request, handle -> {
      caller.requireOwn(handle.run().actor().name(), "report progress of run " + id);
      return switch (source.runs().beat(id, caller.actor())) {
        case Runs.BeatOutcome.Recorded() -> new RunCallOutcome.Beaten(id, true);
        case Runs.BeatOutcome.NotNeeded() -> new RunCallOutcome.Beaten(id, false);
        case Runs.BeatOutcome.Finished() -> new RunCallOutcome.TooLate(id);
        case Runs.BeatOutcome.NotFound() -> new RunCallOutcome.NotFound(id);
      };
    });
  }

  private Outcome plan(Request request) {
    RunRequest wanted = wanted(request);
    return switch (source.plan(wanted)) {
      case PlanOutcome.Planned(var plan) -> new RunCallOutcome.Planned(plan);
      case PlanOutcome.NotPlanned(SubmitOutcome.Refusal why) ->
        refused(why, wanted.intent(), wanted.params(), request.caller());
    };
  }

  private Outcome probe(Request request) {
    String intent = request.given().get(RunOperations.INTENT);
    Map<String, Values.Given> params = params(request);
    IntentRights.require(request.caller(), source.catalogue(), intent, params);
    RunRequest wanted = new RunRequest(intent, params, null, null,
        new Run.Origin(request.caller().actor(), "{}", null), LockTerms.PLAIN, null, null);
    try (var _ = waits.enter(request.caller())) {
      return switch (source.look(wanted)) {
        case LookOutcome.Looked(Intent of, Observation seen, String desired) ->
          new RunCallOutcome.Looked(of.name(), seen, desired);
        case LookOutcome.NoProbe(String name) -> new RunCallOutcome.NoProbe(name);
        case LookOutcome.NotLooked(SubmitOutcome.Refusal why) -> refused(why, intent, params, request.caller());
      };
    }
  }

  private Outcome settle(Request request) {
    RequestId id = id(request);
    Caller caller = request.caller();
    return found(request, handle -> {
      caller.requireOwn(handle.run().actor().name(), "settle run " + id);
      try (var _ = waits.enter(caller)) {
        return switch (source.runs().settle(id, caller.actor())) {
          case Settlements.Answered answered -> new RunCallOutcome.Settled(answered);
          case Settlements.EndKnown(Run run) -> new RunCallOutcome.EndKnown(run);
          case Settlements.NoProbe(Run run) -> new RunCallOutcome.NoProbe(run.intent());
          case Settlements.NotFound() -> new RunCallOutcome.NotFound(id);
        };
      }
    });
  }

  /**
   * Starts or queues a run, and waits for its end as long as the caller prefers. If the client disconnects, the run
   * continues and only this wait ends. If the caller's token is revoked meanwhile, the result is withheld, and the run
   * is cancelled if it still waits for its lock.
   */
  private Outcome submit(Request request) {
    RunRequest wanted = wanted(request);
    Preference preference = request.given().find(RunOperations.PREFER).orElse(Preference.NONE);
    if (preference.isAsync()) {
      return submit(request, wanted, preference);
    }
    try (var _ = waits.enter(request.caller())) {
      return submit(request, wanted, preference);
    }
  }

  private Outcome submit(Request request, RunRequest wanted, Preference preference) {
    Caller caller = request.caller();
    boolean isQueued = request.given().get(RunOperations.QUEUE);
    Runs runs = source.runs();
    return switch (isQueued ? source.queue().enqueue(wanted) : runs.submit(wanted, Places.Holder.of(caller))) {
      case SubmitOutcome.Accepted(RunHandle handle, boolean isReplay) -> {
        Run begun = handle.run();
        boolean asksFirst = begun.status() == RunStatus.AWAITING_APPROVAL && preference.limit() == null;
        Run run = preference.isAsync() || asksFirst ? begun : await(handle, preference.limit(), caller);
        if (!preference.isAsync() && !caller.credential().isValid()) {
          if (!isReplay && !isQueued && run.status() == RunStatus.WAITING) {
            runs.cancel(run.requestId());
          }
          throw new TokenRevoked();
        }
        yield new RunCallOutcome.Submitted(new Seen(run, handle, source.logs(), Optional.empty()), isReplay,
            preference);
      }
      case SubmitOutcome.Refusal why -> refused(why, wanted.intent(), wanted.params(), caller);
    };
  }

  /** A valid request for a run or a plan, by a caller who may make it. */
  private RunRequest wanted(Request request) {
    Given given = request.given();
    Caller caller = request.caller();
    Map<String, Values.Given> values = params(request);
    String intent = given.get(RunOperations.INTENT);
    boolean force = given.get(RunOperations.FORCE);
    if (force) {
      caller.require(Role.OPERATOR, "take a lock by force");
    }
    RunRequest wanted = RunAgain.resolved(new RunRequest(intent, values,
        given.find(CommonArgs.REQUEST_ID).map(RequestId::new).orElse(null),
        given.find(RunOperations.KEY).map(RunHandlers::unquoted).orElse(null),
        new Run.Origin(caller.actor(), metadata(given.orNull(RunOperations.METADATA), caller),
            given.find(RunOperations.TRACE).flatMap(TraceContext::parse).orElse(null),
            given.find(RunOperations.AGAIN).map(RequestId::new).orElse(null)),
        new LockTerms(force, Duration.ofSeconds(given.get(RunOperations.WAIT))), null, null)
        .of(caller.role(), caller.principal()).because(CommonArgs.reason(given).orElse(null))
        .requiring(given.find(RunOperations.PLAN_HASH).map(PlanHash::parse).orElse(null)),
        id -> source.runs().find(id).map(RunHandle::run));
    if (!wanted.intent().equals(intent)) {
      throw new InvalidValue(InvalidValue.Kind.REQUEST,
          "run " + given.get(RunOperations.AGAIN) + " is of intent " + wanted.intent() + ", not of " + intent);
    }
    IntentRights.require(caller, source.catalogue(), intent, wanted.params());
    return wanted;
  }

  /** The parameters for an intent that the caller may run. */
  private Map<String, Values.Given> params(Request request) {
    String intent = request.given().get(RunOperations.INTENT);
    JsonObject params = request.given().orNull(RunOperations.PARAMS);
    if (params != null && !Collections.disjoint(source.catalogue().secrets(intent), params.members().keySet())) {
      request.client().secrets().run();
    }
    request.caller().requireIntent(intent);
    return GivenParams.of(params);
  }

  /** JSON on one line; line breaks and tabs occur only between its values. */
  private static String metadata(@Nullable JsonObject metadata, Caller caller) {
    // Metadata that no lock accepts is refused even if the intent takes no lock.
    Metadata _ = Metadata.of(metadata, caller.onBehalfOf());
    return (metadata == null ? "{}" : metadata.raw()).replaceAll("[\\r\\n\\t]", " ");
  }

  private static String unquoted(String key) {
    return key.length() > 1 && key.startsWith("\"") && key.endsWith("\"") ? key.substring(1, key.length() - 1) : key;
  }

  private Outcome refused(SubmitOutcome.Refusal why, String intent, Map<String, Values.Given> params,
      Caller caller) {
    return RunCallOutcome.Refused.of(why, intent, params, source.catalogue(), caller::mayRun);
  }

  private Outcome output(Request request) {
    Given given = request.given();
    Long before = given.orNull(RunOperations.BEFORE);
    Long offset = given.orNull(RunOperations.OFFSET);
    int lines = given.get(RunOperations.LINES).intValue();
    if (offset != null && before != null) {
      return new RunCallOutcome.BothEnds();
    }
    return chosen(request, chosen -> {
      StepOutput output = chosen.output();
      long position = before != null
          ? before
          : offset == null ? 0 : offset < 0 ? Math.max(0, output.size() + offset) : offset;
      return position > output.size()
          ? new RunCallOutcome.BeyondEnd(before == null ? "offset" : "before", position, output.size())
          : new RunCallOutcome.Lines(chosen,
              before == null ? output.from(position, lines) : output.before(position, lines));
    });
  }

  private Outcome search(Request request) {
    Given given = request.given();
    String text = given.get(RunOperations.TEXT);
    long offset = given.get(RunOperations.FROM);
    return chosen(request, chosen -> offset > chosen.output().size()
        ? new RunCallOutcome.BeyondEnd("offset", offset, chosen.output().size())
        : new RunCallOutcome.Matches(chosen, text, new OutputSearch(chosen.output(), text,
            given.get(RunOperations.CASE), given.get(RunOperations.MATCHES).intValue(), time).from(offset)));
  }

  private Outcome chosen(Request request, Function<Chosen, Outcome> action) {
    return found(request, handle -> {
      Run run = handle.run();
      String name = request.given().orNull(RunOperations.STEP);
      List<StepRecord> begun = run.begun();
      if (name == null) {
        return action.apply(chosen(run, begun.isEmpty() ? null : begun.getLast()));
      }
      return named(run, name).map(step -> action.apply(chosen(run, step)))
          .orElseGet(() -> new RunCallOutcome.NoStep(name, outputs(run)));
    });
  }

  private static Stream<StepRecord> steps(Run run) {
    return Stream.concat(run.progress().steps().stream(), run.progress().rollback().stream());
  }

  private static Optional<StepRecord> named(Run run, String name) {
    return steps(run).filter(step -> step.logName().equals(name)).findFirst();
  }

  private Chosen chosen(Run run, @Nullable StepRecord step) {
    StepLogs logs = source.logs();
    if (step == null || !step.hasBegun()) {
      boolean isComplete = run.status().isFinished() || (step != null && step.isFinished());
      return new Chosen(run, step, new StepOutput((_, _) -> new byte[0], 0, isComplete), Optional.empty());
    }
    String log = step.logName();
    long size = logs.size(run.requestId(), log);
    return new Chosen(run, step, new StepOutput((from, max) -> logs.read(run.requestId(), log, from, max).bytes(), size,
        step.isComplete(run.status(), size)), logs.missing(run, step));
  }

  /**
   * The complete output of a step, or of all steps; empty if the run does not have the step.
   *
   * @param name the name of the step's output; null for all steps
   */
  public static Optional<OutputDownload> download(Run run, @Nullable String name, StepLogs logs) {
    return name == null
        ? Optional.of(new OutputDownload(run, null, logs))
        : named(run, name).map(step -> new OutputDownload(run, step, logs));
  }

  /** The names of the outputs of a run. */
  public static List<String> outputs(Run run) {
    return steps(run).map(StepRecord::logName).toList();
  }
}
