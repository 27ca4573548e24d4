package fleet.tower.cli.run;

import java.util.List;

import fleet.tower.cli.shell.Arguments;
import fleet.tower.cli.shell.Command;
import fleet.tower.cli.shell.Reply;
import fleet.tower.dispatch.Plan;
import fleet.tower.dispatch.Planning;
import fleet.tower.dispatch.RunRequest;
import fleet.tower.dispatch.Submission;
import fleet.tower.home.Home;
import fleet.tower.lease.Door;
import fleet.tower.run.Run;

/** {@code tower plan}: what running an intent would do. It takes no lock, starts nothing and writes nothing. */
public final class PlanCommand {
  private final Home home;

  public PlanCommand(Home home) {
    this.home = home;
  }

  /** The command. */
  public Command plan() {
    return new Command("plan", List.of("INTENT"),
        "say what running an intent would do now, and how its lock stands; changes nothing", Wishes.PARAMS, this::plan)
        .with(Wishes.ACTOR);
  }

  private Reply plan(Arguments arguments) {
    RunRequest request = new RunRequest(arguments.operand(0), Wishes.params(arguments), null, null,
        new Run.Origin(home.actor(arguments.value("actor"), Door.CLI), "{}"), RunRequest.Terms.PLAIN);
    return switch (home.plan(request)) {
      case Planning.Planned(Plan plan) -> PlanReply.of(plan.json().end());
      case Planning.NotPlanned(Submission.Rejected why) -> Rejections.reply(why,
          "tower plan " + request.intent() + (request.params().isEmpty() ? "" : " …"), home.catalogue());
    };
  }
}
