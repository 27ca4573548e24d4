package fleet.tower.cli.run;

import java.time.Duration;
import java.util.List;
import java.util.function.Function;

import fleet.tower.answer.Reply;
import fleet.tower.cli.shell.Arguments;
import fleet.tower.cli.shell.Command;
import fleet.tower.home.Home;
import fleet.tower.lease.Door;
import fleet.tower.run.Run;
import fleet.tower.run.submit.RunRequest;

/** {@code tower plan}: shows what running an intent would do. It takes no lock, starts nothing and writes nothing. */
public final class PlanCommand {
  private final Home home;
  private final Function<Arguments, RunClient> clients;

  public PlanCommand(Home home, Function<Arguments, RunClient> clients) {
    this.home = home;
    this.clients = clients;
  }

  /** The command. */
  public Command plan() {
    return new Command("plan", List.of("INTENT"),
        "show what running an intent would do now, and the state of its lock; changes nothing", RunOptions.PARAMS,
        this::plan)
        .with(RunOptions.FORCE_LOCK).with(RunOptions.ACTOR);
  }

  private Reply plan(Arguments arguments) {
    RunClient client = clients.apply(arguments);
    return client.plan(new RunRequest(arguments.operand(0), RunOptions.params(arguments), null, null,
        new Run.Origin(home.actor(arguments.value("actor"), Door.CLI), "{}", null),
        new RunRequest.Terms(arguments.has(RunOptions.FORCE_LOCK.name()), Duration.ZERO), null, null));
  }
}
