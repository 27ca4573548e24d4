package fleet.tower.cli;

import static fleet.tower.cli.shell.Option.value;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import fleet.tower.access.Role;
import fleet.tower.answer.Reply;
import fleet.tower.answer.RunAnswers;
import fleet.tower.answer.Table;
import fleet.tower.answer.UsageError;
import fleet.tower.approval.ApprovalRule;
import fleet.tower.cli.shell.Arguments;
import fleet.tower.cli.shell.Command;
import fleet.tower.cli.shell.JsonOperand;
import fleet.tower.home.Home;
import fleet.tower.intent.Effect;
import fleet.tower.lease.Door;
import fleet.tower.lease.LeaseName;
import fleet.tower.lock.Halt;
import fleet.tower.lock.HoldLimit;
import fleet.tower.operation.GivenParams;
import fleet.tower.operation.RunCallOutcome;
import fleet.tower.platform.ErrorCode;
import fleet.tower.platform.Exit;
import fleet.tower.platform.json.JsonException;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonReader;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.platform.time.TimeSpans;
import fleet.tower.platform.time.Timestamps;
import fleet.tower.policy.ContainRule;
import fleet.tower.policy.Policy;
import fleet.tower.policy.PolicySource;
import fleet.tower.policy.Quota;
import fleet.tower.policy.TimeRule;
import fleet.tower.policy.ValueRule;
import fleet.tower.run.Run;
import fleet.tower.run.execute.LockTerms;
import fleet.tower.run.execute.PreparedRun;
import fleet.tower.run.submit.RunRequest;
import fleet.tower.run.submit.Runs.PlanOutcome;

/** {@code tower policy}: the rules of the policy, and what they say to a request. */
final class PolicyCommand {
  private final Home home;

  PolicyCommand(Home home) {
    this.home = home;
  }

  Command policy() {
    return new Command("policy", List.of(), "show the rules of config/policy.yaml, or what they say to a request",
        List.of(value("test", "FILE|-",
            "a request as JSON: {\"intent\"?, \"params\"?, \"lock\"?, \"actor\", \"role\"?, \"at\"?}")),
        this::policy);
  }

  private Reply policy(Arguments arguments) {
    return switch (home.policy().now()) {
      case PolicySource.Invalid(String problem) -> Reply.failure(ErrorCode.INVALID_CONFIG, problem,
          "correct the file; until then nothing new begins");
      case PolicySource.Known(Policy policy) -> arguments.text("test")
          .map(file -> tested(policy, file)).orElseGet(() -> rules(policy));
    };
  }

  private static Reply rules(Policy policy) {
    List<List<String>> table = new ArrayList<>(List.of(List.of("RULE", "KIND", "COVERS", "SAYS")));
    List<String> rows = new ArrayList<>();
    for (Policy.EffectRule rule : policy.effects()) {
      table.add(List.of(rule.name(), "effect", covers(rule.scope()), rule.effect().toString()));
      rows.add(row(rule.name(), "effect", rule.scope()).put("says", rule.effect().toString()).end());
    }
    for (Policy.ApprovalNeed need : policy.approvals()) {
      String says = "by " + need.rule().terms().need() + " of " + need.rule().terms().voters()
          + (need.effect() == Effect.NONE ? "" : ", if it is " + need.effect() + " at least")
          + (need.rule().when().isEmpty() ? "" : ", when " + when(need.rule()));
      table.add(List.of(need.name(), "approve", covers(need.scope()), says));
      rows.add(row(need.name(), "approve", need.scope()).put("says", says).end());
    }
    for (Quota quota : policy.quotas()) {
      table.add(List.of(quota.name(), "quota", covers(quota.scope()), quota.describe()));
      rows.add(row(quota.name(), "quota", quota.scope()).put("says", quota.describe()).end());
    }
    for (ContainRule rule : policy.containments()) {
      table.add(List.of(rule.name(), "contain", covers(rule.scope()), rule.describe()));
      rows.add(row(rule.name(), "contain", rule.scope()).put("says", rule.describe()).end());
    }
    for (TimeRule rule : policy.windows()) {
      String says = (rule.opens() ? "only for " : "not for ")
          + TimeSpans.format(rule.window().length()) + " from " + rule.window().text() + " in "
          + rule.window().zone() + ": " + rule.reason();
      table.add(List.of(rule.name(), "window", covers(rule.scope()), says));
      rows.add(row(rule.name(), "window", rule.scope()).put("opens", rule.opens()).put("cron", rule.window().text())
          .put("for_seconds", rule.window().length().toSeconds()).put("zone", rule.window().zone().getId())
          .put("reason", rule.reason()).end());
    }
    for (ValueRule rule : policy.values()) {
      table.add(List.of(rule.name(), "values", covers(rule.scope()), rule.describe()));
      rows.add(row(rule.name(), "values", rule.scope()).put("says", rule.describe()).end());
    }
    Reply reply = Reply.of(Exit.DONE, JsonWriter.line().put("mode", policy.mode().toString()).list("rules", rows));
    if (rows.isEmpty()) {
      return reply.data("no rules");
    }
    Table.lines(table).forEach(reply::data);
    return policy.mode() == Policy.Mode.OBSERVE
        ? reply.words("mode: observe; nothing is refused, the audit log has would_refuse")
        : reply;
  }

  private static JsonWriter row(String name, String kind, Halt.Scope scope) {
    JsonWriter json = JsonWriter.line().put("name", name).put("kind", kind);
    json.list("actors", scope.actors().stream().map(JsonWriter::quote).toList());
    json.list("intents", scope.intents().stream().map(JsonWriter::quote).toList());
    return json.list("locks", scope.locks().stream().map(JsonWriter::quote).toList());
  }

  private static String covers(Halt.Scope scope) {
    List<String> parts = new ArrayList<>();
    Map.of("actors", scope.actors(), "intents", scope.intents(), "locks", scope.locks()).entrySet().stream()
        .sorted(Map.Entry.comparingByKey()).filter(it -> !it.getValue().isEmpty())
        .forEach(it -> parts.add(it.getKey() + " " + String.join(" ", it.getValue())));
    return parts.isEmpty() ? "everything" : String.join(", ", parts);
  }

  /** What the rules say to a request, whatever the mode is. */
  private Reply tested(Policy policy, String file) {
    JsonObject json = read(file);
    String actor = json.text("actor").orElseThrow(() -> new UsageError("the request must have an actor"));
    Optional<String> name = json.text("intent");
    Role role = json.text("role").map(PolicyCommand::role).orElse(null);
    Optional<PreparedRun> run = name.map(it -> prepared(it, json, actor));
    Halt.Subject subject = new Halt.Subject(Set.of(actor), name.orElse(null),
        json.text("lock").or(() -> run.map(PreparedRun::lock).map(LeaseName::value)).orElse(null));
    Stream<Said> against = Stream.concat(policy.objections(subject,
        run.map(it -> new Policy.Parameters(it.intent().params(), it.values().texts(), role)).orElse(null),
        at(json)).stream().map(it -> new Said(it.rule(), it.kind(), it.text())),
        overQuota(policy.quotas(subject), actor, subject.lock(), run));
    List<Said> objections = against.toList();
    List<Said> needs = run.map(it -> needs(policy, subject, it)).orElse(List.of());
    String verdict = objections.isEmpty() && !needs.isEmpty()
        ? policy.mode() == Policy.Mode.ENFORCE ? "approve" : "would_approve"
        : objections.isEmpty() ? "allow" : policy.mode() == Policy.Mode.ENFORCE ? "refuse" : "would_refuse";
    Stream<Said> containments = policy.containments().stream()
        .filter(rule -> verdict.equals("refuse") && rule.scope().covers(subject))
        .map(rule -> new Said(rule.name(), "contain", rule.describe()));
    List<Said> all = Stream.of(objections.stream(), needs.stream(), containments).flatMap(it -> it).toList();
    Reply reply = Reply.of(Exit.DONE, JsonWriter.line().put("verdict", verdict).list("rules", all.stream()
        .map(it -> JsonWriter.line().put("name", it.rule()).put("kind", it.kind()).put("why", it.why()).end())
        .toList())).data(verdict);
    all.forEach(it -> reply.data(it.kind() + " " + it.rule() + ": " + it.why()));
    return reply;
  }

  /** What a rule says to a request. */
  private record Said(String rule, String kind, String why) {}

  /** The quotas that the request would exceed now: one of runs, one of locks. */
  private Stream<Said> overQuota(List<Quota> quotas, String actor, @Nullable String lock, Optional<PreparedRun> run) {
    Stream<Said> runs = run.flatMap(it -> home.runs().exceeded(it.newRun(false), quotas)).stream()
        .map(it -> new Said(it.quota(), "quota", "it allows " + it.describe()));
    List<HoldLimit> limits = quotas.stream().flatMap(quota -> quota.ofLocks().stream()).toList();
    Stream<Said> locks = lock == null
        ? Stream.empty()
        : HoldLimit.reached(limits, actor, new LeaseName(lock), home.locks()::list).stream()
            .map(it -> new Said(it.quota(), "quota",
                "it allows " + it.most() + (it.most() == 1 ? " lock" : " locks") + " at the same time"));
    return Stream.concat(runs, locks);
  }

  /** The rules by which a run must be approved. */
  private static List<Said> needs(Policy policy, Halt.Subject subject, PreparedRun run) {
    Map<String, String> values = run.values().texts();
    ApprovalRule own = run.intent().approve();
    return Stream.concat(own != null && own.applies(values) ? Stream.of("intent") : Stream.empty(),
        policy.approvals(subject, run.intent(), values).stream().map(Policy.ApprovalNeed::name))
        .map(rule -> new Said(rule, "approve", "it must be approved before it begins")).toList();
  }

  private static String when(ApprovalRule rule) {
    return rule.when().entrySet().stream().sorted(Map.Entry.comparingByKey())
        .map(it -> it.getKey() + " is " + String.join(" or ", it.getValue())).collect(Collectors.joining(" and "));
  }

  private static JsonObject read(String file) {
    try {
      return JsonReader.readObject(JsonOperand.bytes(file));
    } catch (JsonException e) {
      throw new UsageError("the request must be a JSON object: " + e.getMessage());
    }
  }

  private static Role role(String word) {
    return Stream.of(Role.values()).filter(it -> it.toString().equals(word)).findFirst()
        .orElseThrow(() -> new UsageError("there is no role " + word));
  }

  private Instant at(JsonObject json) {
    return json.text("at").map(it -> Timestamps.parse(it)
        .orElseThrow(() -> new UsageError("at must be a UTC time like 2026-11-28T10:30:00Z"))).orElseGet(
            () -> home.time().now());
  }

  private PreparedRun prepared(String intent, JsonObject json, String actor) {
    RunRequest request = new RunRequest(intent, GivenParams.of(json.object("params").orElse(null)), null, null,
        new Run.Origin(home.actor(Optional.of(actor), Door.CLI), "{}", null), LockTerms.PLAIN, null, null);
    return switch (home.runs().plan(request)) {
      case PlanOutcome.Planned(var plan) -> plan.prepared();
      case PlanOutcome.NotPlanned(var why) -> throw new UsageError("the request would not run: "
          + RunAnswers.refused(RunCallOutcome.Refused.of(why, intent, request.params(), home.catalogue())).detail());
    };
  }
}
