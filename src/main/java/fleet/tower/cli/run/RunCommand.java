package fleet.tower.cli.run;

import java.util.function.Function;

import fleet.tower.answer.Reply;
import fleet.tower.cli.shell.Arguments;
import fleet.tower.cli.shell.Command;
import fleet.tower.cli.shell.OperationCommand;
import fleet.tower.cli.shell.Option;
import fleet.tower.home.Home;
import fleet.tower.lease.Door;
import fleet.tower.operation.Given;
import fleet.tower.operation.RunOperations;

/** {@code tower run}: runs an intent. */
public final class RunCommand {
  private final Home home;
  private final Function<Arguments, RunClient> clients;

  public RunCommand(Home home, Function<Arguments, RunClient> clients) {
    this.home = home;
    this.clients = clients;
  }

  /** The command. */
  public Command run() {
    return RunOptions.withParams(OperationCommand.of(RunOperations.SUBMIT, this::run))
        .with(Option.flag("force", "the same as --force-lock")).with(RunOptions.REQUIRE_LOCK).with(RunOptions.DETACH)
        .with(RunOptions.AGAIN);
  }

  private Reply run(Arguments arguments) {
    RunClient client = clients.apply(arguments);
    Given given = OperationCommand.given(RunOperations.SUBMIT, arguments, home.time()::now);
    return client.run(RunOptions.request(given, arguments, home.actor(arguments.value("actor"), Door.RUN)),
        RunClient.Manner.of(arguments));
  }
}
