package fleet.tower.cli.run;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

import fleet.tower.answer.Reply;
import fleet.tower.cli.shell.Arguments;
import fleet.tower.cli.shell.Command;
import fleet.tower.cli.shell.Option;
import fleet.tower.home.Home;
import fleet.tower.lease.Door;

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
    List<Option> options = new ArrayList<>(RunOptions.PARAMS);
    options.addAll(RunOptions.TERMS);
    options.add(RunOptions.QUEUE);
    options.add(RunOptions.DETACH);
    return new Command("run", List.of("INTENT"), "run an intent here, under its lock, and show the output of its steps",
        options, this::run);
  }

  private Reply run(Arguments arguments) {
    RunClient client = clients.apply(arguments);
    return client.run(RunOptions.request(arguments, home.actor(arguments.value("actor"), Door.RUN)),
        RunClient.Manner.of(arguments));
  }
}
