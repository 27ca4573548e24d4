package fleet.tower.service.mcp.tool;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

import fleet.tower.access.Caller;
import fleet.tower.access.Role;
import fleet.tower.answer.CommandLine;
import fleet.tower.answer.LockEstimates;
import fleet.tower.answer.Problem;
import fleet.tower.answer.RefusedCall;
import fleet.tower.answer.Remedy;
import fleet.tower.intent.Intent;
import fleet.tower.intent.Parameter;
import fleet.tower.intent.ToolName;
import fleet.tower.intent.Values;
import fleet.tower.operation.Arg;
import fleet.tower.operation.CommonArgs;
import fleet.tower.operation.Given;
import fleet.tower.operation.GivenParams;
import fleet.tower.operation.Handler;
import fleet.tower.operation.Operations;
import fleet.tower.operation.Outcome;
import fleet.tower.operation.Preference;
import fleet.tower.operation.RunCallOutcome;
import fleet.tower.operation.RunCallOutcome.Seen;
import fleet.tower.operation.RunOperations;
import fleet.tower.operation.WaitingCalls;
import fleet.tower.platform.ErrorCode;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonReader;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.service.call.Needs;
import fleet.tower.service.mcp.tool.InvalidArguments.Mistake;
import fleet.tower.service.mcp.wire.Exchange;

/** The tool that runs an intent. */
final class IntentTool implements Tool {
  /** The result of a run, or the refusal of one. */
  static final String OUTPUT = "{\"type\":\"object\",\"required\":[\"outcome\"]}";

  private static final ArgumentCheck OWN = ArgumentCheck.ofSchema(IntentSchema.ofOwn());

  private final Intent intent;
  private final Services services;
  private final IntentSchema schema;

  /** What a tool of an intent uses. */
  record Services(Operations operations, WaitingCalls waits, LockEstimates estimates, ToolRunFollower follower,
      UsualDurations durations) {}

  IntentTool(Intent intent, Caller caller, Services services) {
    this.intent = intent;
    this.services = services;
    this.schema = new IntentSchema(intent, caller);
  }

  @Override
  public String name() {
    return ToolName.of(intent.name());
  }

  @Override
  public JsonWriter definition() {
    return JsonWriter.line().put("name", name()).put("description", description())
        .put("inputSchema", schema.ofTool()).raw("outputSchema", OUTPUT)
        .raw("annotations", IntentText.annotations(intent));
  }

  String description() {
    return IntentText.of(intent, services.durations().of(intent.name()));
  }

  IntentSchema schema() {
    return schema;
  }

  /** The intent checks its parameters itself; its patterns are Java's, and may take too long to match. */
  @Override
  public void check(JsonObject arguments) {
    List<String> secrets = intent.params().stream().filter(Parameter::secret).map(Parameter::name)
        .filter(name -> arguments.get(name) != null).toList();
    if (!secrets.isEmpty() || !IntentText.requiredSecrets(intent).isEmpty()) {
      throw new RefusedCall(secret(secrets.isEmpty() ? IntentText.requiredSecrets(intent) : secrets));
    }
    List<Mistake> mistakes = mistakes(arguments);
    if (!mistakes.isEmpty()) {
      throw new InvalidArguments(mistakes, ArgumentCheck.ofSchema(schema.ofTool()).nearest(arguments)
          .filter(json -> mistakes(JsonReader.readOwn(json)).isEmpty()).orElse(null));
    }
  }

  private List<Mistake> mistakes(JsonObject arguments) {
    List<Mistake> mistakes = new ArrayList<>();
    List<Parameter> known = intent.params().stream().filter(param -> !param.secret()).toList();
    Set<String> names = new LinkedHashSet<>(known.stream().map(Parameter::name).toList());
    Map<String, Values.Given> given = new LinkedHashMap<>(GivenParams.of(IntentSchema.paramsOf(arguments)));
    List<String> unknown = given.keySet().stream().filter(name -> !names.contains(name)).sorted().toList();
    given.keySet().retainAll(names);
    if (Values.read(known, given) instanceof Values.Rejected(List<Values.Problem> problems)) {
      problems.forEach(problem -> mistakes
          .add(new Mistake(problem.pointer().replaceFirst("^/params", ""), problem.message())));
    }
    mistakes.addAll(OWN.mistakes(IntentSchema.ownOf(arguments)));
    names.addAll(IntentSchema.OWN.keySet());
    unknown.forEach(name -> mistakes
        .add(new Mistake(ArgumentCheck.pointer(name), ArgumentCheck.unknown(name, names))));
    return mistakes;
  }

  /** The refusal of secrets, which no model should see; advice without a call, which would show them. */
  private Problem secret(List<String> names) {
    CommandLine command = new CommandLine(RunOperations.SUBMIT).operand(intent.name()).option("--params-file", "-");
    String members = String.join(", ", names.stream().map(name -> JsonWriter.quote(name) + ": …").toList());
    return Problem.of(ErrorCode.INVALID_PARAMS, "tools take no secrets, and " + String.join(", ", names)
        + (names.size() == 1 ? " of " + intent.name() + " is one" : " of " + intent.name() + " are secrets"),
        JsonWriter.line()
            .list("errors", names.stream().map(name -> JsonWriter.line().put("pointer", "/" + name)
                .put("message", "is secret").end()).toList())
            .put("suggestion", IntentText.requiredSecrets(intent).isEmpty()
                ? "call it without them"
                : "plan it, and have it run where the secrets are"))
        .next(List.of(Remedy.advice("ask an operator to run: " + command + " with {" + members
            + "} and the other parameters on its standard input")));
  }

  @Needs(Role.AGENT)
  @Override
  public ToolResult call(JsonObject arguments, Exchange exchange) {
    long wait = arguments.integer(IntentSchema.WAIT_SECONDS).orElse(0);
    Handler.Request request = new Handler.Request(given(arguments, wait), exchange.caller(), Handler.Client.unknown());
    try (var _ = services.waits().enter(exchange.caller())) {
      Outcome outcome = services.operations().handle(RunOperations.SUBMIT, request);
      if (outcome instanceof RunCallOutcome.Submitted(Seen seen, boolean isReplay, var _)) {
        return services.follower().follow(seen.handle(), isReplay, wait, exchange);
      }
      throw OperationTool.refusal(outcome, services.estimates());
    }
  }

  /** The check has refused secrets. */
  private Given given(JsonObject arguments, long wait) {
    Given given = Given.NOTHING.with(RunOperations.INTENT, intent.name())
        .with(RunOperations.PARAMS, IntentSchema.paramsOf(arguments)).with(RunOperations.WAIT, wait)
        .with(RunOperations.PREFER, Preference.ASYNC);
    given = with(given, CommonArgs.REQUEST_ID, arguments.text(IntentSchema.REQUEST_ID));
    return with(given, RunOperations.PLAN_HASH, arguments.text(IntentSchema.PLAN_HASH));
  }

  private static Given with(Given given, Arg<String> arg, Optional<String> value) {
    return value.isEmpty() ? given : given.with(arg, value.get());
  }
}
