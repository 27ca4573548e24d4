package fleet.tower.cli.overview;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;

import fleet.tower.answer.Reply;
import fleet.tower.cli.remote.RemoteParams;
import fleet.tower.cli.remote.Requests;
import fleet.tower.cli.run.RunOptions;
import fleet.tower.cli.shell.Arguments;
import fleet.tower.cli.shell.Command;
import fleet.tower.cli.shell.OperationCommand;
import fleet.tower.operation.Given;
import fleet.tower.operation.Operation;
import fleet.tower.operation.RunOperations;
import fleet.tower.platform.Exit;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonReader;
import fleet.tower.platform.text.Console;

/**
 * {@code tower plan} shows what running an intent would do, {@code tower probe} the state that it would change. Both take
 * no lock and write nothing.
 */
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

  /** {@code tower probe}, likewise. */
  public Command probe() {
    return RunOptions.withParams(OperationCommand.of(RunOperations.PROBE, arguments -> ask(RunOperations.PROBE,
        arguments, (reply, data) -> {
          data.object("state").ifPresent(state -> PlanReply.add(state.raw(), reply));
          return data.text("unknown").isPresent() ? reply.ending(Exit.NOT_FOUND) : reply;
        })));
  }

  private Reply plan(Arguments arguments) {
    return ask(RunOperations.PLAN, arguments, PlanReply::of);
  }

  private Reply ask(Operation operation, Arguments arguments, BiFunction<Reply, JsonObject, Reply> layout) {
    String intent = arguments.operand(0);
    List<String> secrets = new ArrayList<>();
    Given given = requests.given(operation, arguments).with(RunOperations.PARAMS,
        JsonReader.readOwn(new RemoteParams(requests.asking(arguments), intent)
            .json(RunOptions.params(arguments), secrets::add).end()));
    secrets.forEach(name -> RunOptions.warnOfSecret(name, console));
    Reply reply = requests.reply(operation, given, arguments, layout);
    return secrets.isEmpty() ? reply : reply.withoutRepeating();
  }
}
