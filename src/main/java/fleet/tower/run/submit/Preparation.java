package fleet.tower.run.submit;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import fleet.tower.approval.ApprovalTerms;
import fleet.tower.foreign.ForeignName;
import fleet.tower.foreign.ForeignTerms;
import fleet.tower.intent.Catalogue;
import fleet.tower.intent.Controls;
import fleet.tower.intent.Intent;
import fleet.tower.intent.Parameter;
import fleet.tower.intent.Probe;
import fleet.tower.intent.Template;
import fleet.tower.intent.Values;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.RequestId;
import fleet.tower.platform.InvalidValue;
import fleet.tower.platform.secret.HomeKey;
import fleet.tower.platform.secret.Secrets;
import fleet.tower.platform.time.TimeSource;
import fleet.tower.policy.PolicyRules;
import fleet.tower.run.Observation;
import fleet.tower.run.Run;
import fleet.tower.run.RunRefusal;
import fleet.tower.run.Tracing;
import fleet.tower.run.execute.ActiveRun.LastCheck;
import fleet.tower.run.execute.PreparedRun;
import fleet.tower.run.execute.Prober;

/** The check of a request: finds the intent, reads the parameters, and resolves the names of the locks. */
final class Preparation {
  private final Catalogue catalogue;
  private final Supplier<RequestId> ids;
  private final TimeSource time;
  private final HomeKey key;
  private final Tracing tracing;
  private final PolicyRules rules;
  private final Prober prober;
  private final RecentPlans shown = new RecentPlans();

  /** @param key the key under which plans show secrets */
  Preparation(Catalogue catalogue, Supplier<RequestId> ids, TimeSource time, HomeKey key, Tracing tracing,
      PolicyRules rules, Prober prober) {
    this.rules = rules;
    this.prober = prober;
    this.key = key;
    this.tracing = tracing;
    this.catalogue = catalogue;
    this.ids = ids;
    this.time = time;
  }

  /** The outcome of the check. */
  sealed interface Outcome {}

  record Ready(PreparedRun prepared) implements Outcome {}

  record NotReady(SubmitOutcome.Refusal why) implements Outcome {}

  /** The id of a request; a new one if it has none. */
  RequestId idOf(RunRequest request) {
    return request.requestId() == null ? ids.get() : request.requestId();
  }

  Outcome prepare(RunRequest request) {
    return prepare(request, header(request));
  }

  private Function<Run.Subject, Run.Header> header(RunRequest request) {
    RequestId id = idOf(request);
    return subject -> Run.Header.of(id, subject, request.origin(), time.now());
  }

  /** Checks a request against the files of its intent as they are now, whatever was read of them before. */
  Outcome prepareNow(RunRequest request) {
    return prepare(catalogue.current(request.intent()), request, header(request));
  }

  /** What a prepared request would do, with the state that its probe sees now. */
  PlanDocument document(RunRequest request, PreparedRun prepared) {
    return document(request, prepared, prober.look(prepared));
  }

  /** @param seen what its probe sees; null if it has none */
  private PlanDocument document(RunRequest request, PreparedRun prepared, @Nullable Observation seen) {
    return PlanDocument.of(prepared, request.terms().force(), key,
        new PlanDocument.Judged(rules.effect(prepared.header().doing(), prepared.intent()),
            approval(prepared).orElse(null)),
        seen);
  }

  /** What the probe of a prepared request sees now; null if it has none. */
  @Nullable
  Observation look(PreparedRun prepared) {
    return prober.look(prepared);
  }

  /** What it takes to approve a prepared request; empty if it needs no approval. */
  Optional<ApprovalTerms> approval(PreparedRun prepared) {
    return rules.approval(prepared.header().doing(), prepared.intent(), prepared.values().texts());
  }

  /** What a request to look needs: its intent, and the parameters that the probe of that gets. */
  Outcome prepareLook(RunRequest request) {
    Intent intent = catalogue.current(request.intent()).orElse(null);
    if (intent == null) {
      return new NotReady(new SubmitOutcome.UnknownIntent(request.intent(), catalogue.closest(request.intent())));
    }
    return switch (looking(intent, request.params())) {
      case Values.Rejected(List<Values.Problem> problems) -> new NotReady(new SubmitOutcome.InvalidParams(problems));
      case Values.Accepted(Values values) -> new Ready(looking(intent, values, header(request)
          .apply(new Run.Subject(intent.name(), intent.version(), intent.mode()))));
    };
  }

  /** A recorded run, with the parameters that the probe of its intent gets; empty if one of them is not recorded. */
  Optional<PreparedRun> recorded(Run run, Intent intent) {
    Run.Params params = run.header().params();
    Probe probe = intent.probe();
    if (params == null || probe == null || params.secrets().stream()
        .anyMatch(name -> intent.param(name).filter(probe::gets).isPresent())) {
      return Optional.empty();
    }
    return looking(intent, params.given()) instanceof Values.Accepted(Values values)
        ? Optional.of(looking(intent, values, run.header()))
        : Optional.empty();
  }

  private static Values.ReadOutcome looking(Intent intent, Map<String, Values.Given> given) {
    Probe probe = intent.probe();
    List<Parameter> params = intent.params().stream().filter(param -> probe != null && probe.gets(param)).toList();
    Map<String, Values.Given> some = new LinkedHashMap<>(given);
    intent.params().stream().filter(param -> !params.contains(param)).forEach(param -> some.remove(param.name()));
    return Values.read(params, some);
  }

  private PreparedRun looking(Intent intent, Values values, Run.Header header) {
    return new PreparedRun(intent, values, header, null, ForeignTerms.NONE, Secrets.of(values.secrets()), tracing);
  }

  /** The check that a request would still do what is planned. */
  LastCheck check(RunRequest request, PlanDocument planned) {
    return seen -> change(request, planned, _ -> seen);
  }

  /** Why a request would not do what is planned; null if it would. */
  @Nullable
  RunRefusal change(RunRequest request, PlanDocument planned) {
    return change(request, planned, prober::look);
  }

  private RunRefusal.@Nullable PlanChanged change(RunRequest request, PlanDocument planned,
      Function<PreparedRun, @Nullable Observation> looking) {
    return switch (prepareNow(request)) {
      case Ready(PreparedRun prepared) -> changed(planned, document(request, prepared, looking.apply(prepared)));
      case NotReady(SubmitOutcome.UnknownIntent _) -> new RunRefusal.PlanChanged(null, List.of("intent"));
      case NotReady _ -> new RunRefusal.PlanChanged(null, List.of("digest"));
    };
  }

  /** The same for a request that is only planned. */
  PlanDocument shown(RunRequest request, PreparedRun prepared, @Nullable Observation seen) {
    PlanDocument document = document(request, prepared, seen);
    shown.add(document);
    return document;
  }

  /** The refusal of a request that names another plan; it tells the difference if this process has shown that plan. */
  SubmitOutcome.PlanChanged notPlanned(PlanHash named, PlanDocument now) {
    return new SubmitOutcome.PlanChanged(new RunRefusal.PlanChanged(now.hash(),
        shown.find(named).map(plan -> plan.changes(now)).orElse(List.of())));
  }

  private static RunRefusal.@Nullable PlanChanged changed(PlanDocument planned, PlanDocument now) {
    return now.hash().equals(planned.hash())
        ? null
        : new RunRefusal.PlanChanged(now.hash(), planned.changes(now));
  }

  /**
   * Checks a request; one that names a plan is checked as by {@link #prepareNow}.
   *
   * @param header makes the header of the run for the version of the intent that was found
   */
  Outcome prepare(RunRequest request, Function<Run.Subject, Run.Header> header) {
    String intent = request.intent();
    return prepare(request.plan() == null ? catalogue.find(intent) : catalogue.current(intent), request, header);
  }

  private Outcome prepare(Optional<Intent> intent, RunRequest request, Function<Run.Subject, Run.Header> header) {
    if (intent.isEmpty()) {
      return new NotReady(new SubmitOutcome.UnknownIntent(request.intent(), catalogue.closest(request.intent())));
    }
    return switch (Values.read(intent.get().params(), request.params())) {
      case Values.Rejected(List<Values.Problem> problems) -> new NotReady(new SubmitOutcome.InvalidParams(problems));
      case Values.Accepted(Values values) -> prepare(intent.get(), values, subject -> header.apply(subject)
          .withParams(RecordedParams.of(intent.get(), values, request.params().keySet())));
    };
  }

  private Outcome prepare(Intent intent, Values values, Function<Run.Subject, Run.Header> headers) {
    Run.Header given = headers.apply(new Run.Subject(intent.name(), intent.version(), intent.mode()));
    Run.Header unlockedHeader = given.declaration() == null
        ? given.withDeclaration(new Run.Declaration(intent.digest(), intent.runsOn()))
        : given;
    PreparedRun unlocked = new PreparedRun(intent, values, unlockedHeader, null, ForeignTerms.NONE,
        Secrets.of(values.secrets()), tracing);
    Optional<Template> template = intent.lock();
    try {
      LeaseName lock = template.map(it -> new LeaseName(it.resolve(unlocked.facts(null)))).orElse(null);
      Run.Header header = unlockedHeader.withLock(lock);
      return new Ready(new PreparedRun(intent, values, header, lock, foreign(unlocked), unlocked.secrets(), tracing));
    } catch (InvalidValue e) {
      return new NotReady(new SubmitOutcome.InvalidLockName(e.problem() + (e.kind() == InvalidValue.Kind.LOCK_NAME
          ? " (it comes from the intent's lock template " + template.map(Template::source).orElse("") + ")"
          : "")));
    }
  }

  private static ForeignTerms foreign(PreparedRun prepared) {
    Controls controls = prepared.intent().controls();
    return new ForeignTerms(names(prepared, controls.respect()), names(prepared, controls.exclusive()));
  }

  private static List<ForeignName> names(PreparedRun prepared, List<Template> templates) {
    return templates.stream().map(template -> ForeignName.parse(template.resolve(prepared.facts(null)))).toList();
  }
}
