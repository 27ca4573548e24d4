package fleet.tower.cli.run;

import java.util.List;

import fleet.tower.cli.envelope.Reply;
import fleet.tower.cli.reply.PlanJson;
import fleet.tower.cli.shell.Arguments;
import fleet.tower.cli.shell.Command;
import fleet.tower.home.Home;
import fleet.tower.lease.Door;
import fleet.tower.run.Run;
import fleet.tower.run.submit.Plan;
import fleet.tower.run.submit.PlanOutcome;
import fleet.tower.run.submit.RunRequest;
import fleet.tower.run.submit.SubmitOutcome;

/** {@code tower plan}: shows what running an intent would do. It takes no lock, starts nothing and writes nothing. */
public final class PlanCommand {
  private final Home home;

  public PlanCommand(Home home) {
    this.home = home;
  }

  /** The command. */
  public Command plan() {
    return new Command("plan", List.of("INTENT"),
        "show what running an intent would do now, and the state of its lock; changes nothing", RunOptions.PARAMS,
        this::plan)
        .with(RunOptions.ACTOR);
  }

  private Reply plan(Arguments arguments) {
    RunRequest request = new RunRequest(arguments.operand(0), RunOptions.params(arguments), null, null,
        new Run.Origin(home.actor(arguments.value("actor"), Door.CLI), "{}"), RunRequest.Terms.PLAIN);
    return switch (home.runs().plan(request)) {
      case PlanOutcome.Planned(Plan plan) -> PlanReply.of(PlanJson.plan(plan).end());
      case PlanOutcome.NotPlanned(SubmitOutcome.Rejected why) -> rejected(why, request, arguments);
    };
  }

  private Reply rejected(SubmitOutcome.Rejected why, RunRequest request, Arguments arguments) {
    Reply reply = Rejections.reply(why, request, home.catalogue());
    return RunOptions.secretsOnLine(arguments, home.catalogue()).isEmpty()
        ? reply
        : reply.withoutRepeating();
  }
}
