package fleet.tower.cli.overview;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

import fleet.tower.answer.CommandLine;
import fleet.tower.answer.Reply;
import fleet.tower.answer.Table;
import fleet.tower.answer.UsageError;
import fleet.tower.cli.remote.Requests;
import fleet.tower.cli.shell.Arguments;
import fleet.tower.cli.shell.Command;
import fleet.tower.cli.shell.OperationCommand;
import fleet.tower.cli.shell.Option;
import fleet.tower.operation.ApprovalOperations;
import fleet.tower.operation.Arg;
import fleet.tower.operation.Arg.Via;
import fleet.tower.operation.CommonArgs;
import fleet.tower.operation.Given;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.text.VisibleText;

/** The commands that show runs which must be approved, and vote. */
public final class ApprovalCommands {
  /** The members of a plan that have lines of their own. */
  private static final Set<String> SAID = Set.of("intent", "version", "lock", "params", "steps", "rollback");

  private final Requests requests;

  public ApprovalCommands(Requests requests) {
    this.requests = requests;
  }

  /** The commands. */
  public List<Command> all() {
    return List.of(approvals(), approve(), reject());
  }

  private Command approvals() {
    Command list = requests.command(ApprovalOperations.LIST, ApprovalCommands::list);
    List<String> filters = ApprovalOperations.LIST.at(Via.COMMAND).map(arg -> String.valueOf(arg.option())).toList();
    return list.with("[ID]").acting(arguments -> {
      Optional<String> id = arguments.optionalOperand(0);
      if (id.isEmpty()) {
        return requests.reply(ApprovalOperations.LIST, arguments, ApprovalCommands::list);
      }
      if (filters.stream().anyMatch(arguments::has)) {
        throw new UsageError("--" + String.join(", --", filters) + " apply to the list, not to run " + id.get());
      }
      return shown(id.get(), arguments);
    });
  }

  private Reply shown(String typed, Arguments arguments) {
    return requests.reply(ApprovalOperations.VIEW, run(typed, arguments), arguments, ApprovalCommands::one);
  }

  private Given run(String typed, Arguments arguments) {
    return ApprovalOperations.of(RunIds.resolve(typed, requests.asking(arguments)));
  }

  private Command approve() {
    return command(ApprovalOperations.APPROVE,
        "approve exactly the plan of a run; without its hash, show it and how to approve it",
        List.of(ApprovalOperations.PLAN_HASH, CommonArgs.REASON, ApprovalOperations.FOR, ApprovalOperations.MAX),
        (given, arguments) -> arguments.has(String.valueOf(ApprovalOperations.PLAN_HASH.option()))
            ? voted(given, ApprovalOperations.APPROVE, arguments)
            : shown(arguments.operand(0), arguments));
  }

  private Command reject() {
    return command(ApprovalOperations.REJECT, "reject a run, or revoke its approval of later runs",
        List.of(CommonArgs.REASON.must(), ApprovalOperations.PLAN_HASH),
        (given, arguments) -> voted(given, ApprovalOperations.REJECT, arguments));
  }

  private interface Action {
    Reply of(Given given, Arguments arguments);
  }

  private Command command(String name, String summary, List<Arg<?>> args, Action action) {
    List<Option> options = args.stream().<Option>map(OperationCommand::option).toList();
    return new Command(name, List.of("ID"), summary, options, arguments -> {
      List<Arg<?>> all = Stream.concat(Stream.of(ApprovalOperations.RUN), args.stream()).toList();
      return action.of(OperationCommand.given(all, arguments, requests::now), arguments);
    });
  }

  private Reply voted(Given given, String decision, Arguments arguments) {
    return requests.reply(ApprovalOperations.VOTE,
        given.with(ApprovalOperations.RUN, run(arguments.operand(0), arguments).get(ApprovalOperations.RUN))
            .with(ApprovalOperations.DECISION, decision),
        arguments, (reply, _) -> reply);
  }

  private static Reply list(Reply reply, JsonObject answer) {
    List<JsonObject> approvals = answer.objects("approvals");
    if (approvals.isEmpty()) {
      return reply.data("no runs that need an approval");
    }
    List<List<String>> rows = new ArrayList<>();
    rows.add(List.of("RUN", "INTENT", "ACTOR", "LOCK", "STATE", "VOTES", "UNTIL", "LATER RUNS"));
    approvals.forEach(run -> rows.add(List.of(text(run, "request_id"), text(run, "intent"), text(run, "actor"),
        run.text("lock_name").orElse("none"), text(run, "state"), votes(run), text(run, "expires_at"),
        run.objects("standing").isEmpty()
            ? "-"
            : String.join(", ", run.objects("standing").stream()
                .map(ApprovalCommands::standing).toList()))));
    Table.lines(rows).forEach(reply::data);
    return reply;
  }

  private static Reply one(Reply reply, JsonObject run) {
    reply.data("run       " + text(run, "request_id") + " of " + text(run, "intent") + " "
        + text(run, "intent_version") + ", requested by " + VisibleText.quoted(text(run, "actor"))
        + run.text("on_behalf_of").map(who -> " for " + VisibleText.quoted(who)).orElse(""));
    run.text("reason").ifPresent(reason -> reply.data("reason    " + VisibleText.quoted(reason)));
    reply.data("lock      " + run.text("lock_name").orElse("none")
        + run.object("plan").flatMap(plan -> plan.object("lock")).map(lock -> ", " + text(lock, "mode") + ", ttl "
            + lock.integer("ttl_seconds").orElse(0) + " s").orElse(""));
    reply.data("approval  " + text(run, "state") + ", " + votes(run) + " votes, asked: " + text(run, "asked")
        + ", until " + text(run, "expires_at"));
    run.objects("votes").forEach(vote -> reply.data("vote      " + text(vote, "decision") + " by "
        + VisibleText.quoted(text(vote, "principal")) + " at " + text(vote, "at")
        + vote.text("reason").map(reason -> ": " + VisibleText.quoted(reason)).orElse("")
        + vote.text("standing").map(earlier -> ", given with run " + earlier).orElse("")));
    run.objects("standing").forEach(it -> reply.data("later     " + standing(it) + ", approved by "
        + VisibleText.quoted(text(it, "principal"))));
    run.object("plan").ifPresent(plan -> {
      plan.object("params").ifPresent(params -> params.members()
          .forEach((name, value) -> PlanReply.add("param     " + name + " = " + params.raw(value), reply)));
      PlanReply.steps(plan, "steps", "step", reply);
      PlanReply.steps(plan, "rollback", "rollback", reply);
      plan.members().forEach((name, value) -> {
        if (!SAID.contains(name)) {
          PlanReply.add("%-9s %s".formatted(name, plan.raw(value)), reply);
        }
      });
    });
    reply.data("changed   " + run.object("last_success").map(before -> (before.texts("changed").isEmpty()
        ? "nothing"
        : String.join(", ", before.texts("changed"))) + " since run " + text(before, "request_id"))
        .orElse("nothing has succeeded under this lock before"));
    reply.data("plan      " + text(run, "plan_hash"));
    return text(run, "state").equals("open")
        ? reply.words(
            "approve exactly this: " + new CommandLine(ApprovalOperations.APPROVE).operand(text(run, "request_id"))
                .option("--" + ApprovalOperations.PLAN_HASH.option(), text(run, "plan_hash")))
        : reply;
  }

  private static String standing(JsonObject approval) {
    return approval.integer("remaining").orElse(0) + " until " + text(approval, "until");
  }

  private static String votes(JsonObject run) {
    return run.integer("have").orElse(0) + " of " + run.integer("need").orElse(0);
  }

  private static String text(JsonObject json, String key) {
    return json.text(key).orElse("");
  }
}
