package fleet.tower.cli.overview;

import java.util.ArrayList;
import java.util.List;

import fleet.tower.answer.Reply;
import fleet.tower.cli.remote.RemoteParams;
import fleet.tower.cli.remote.Requests;
import fleet.tower.cli.run.RunOptions;
import fleet.tower.cli.shell.Arguments;
import fleet.tower.cli.shell.Command;
import fleet.tower.cli.shell.OperationCommand;
import fleet.tower.operation.Given;
import fleet.tower.operation.RunOperations;
import fleet.tower.platform.json.JsonReader;
import fleet.tower.platform.text.Console;

/** {@code tower plan}: shows what running an intent would do. It takes no lock, starts nothing and writes nothing. */
public final class PlanCommand {
  private final Requests requests;
  private final Console console;

  public PlanCommand(Requests requests, Console console) {
    this.requests = requests;
    this.console = console;
  }

  /** The command, whose parameters may also be in a file. */
  public Command plan() {
    return RunOptions.withParams(OperationCommand.of(RunOperations.PLAN, this::plan));
  }

  private Reply plan(Arguments arguments) {
    String intent = arguments.operand(0);
    List<String> secrets = new ArrayList<>();
    Given given = requests.given(RunOperations.PLAN, arguments).with(RunOperations.PARAMS,
        JsonReader.readOwn(new RemoteParams(requests.asking(arguments), intent)
            .json(RunOptions.params(arguments), secrets::add).end()));
    secrets.forEach(name -> RunOptions.warnOfSecret(name, console));
    Reply reply = requests.reply(RunOperations.PLAN, given, arguments, PlanReply::of);
    return secrets.isEmpty() ? reply : reply.withoutRepeating();
  }
}
