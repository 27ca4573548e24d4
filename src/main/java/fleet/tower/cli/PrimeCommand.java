package fleet.tower.cli;

import static fleet.tower.cli.shell.Option.value;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

import fleet.tower.access.Caller;
import fleet.tower.answer.Reply;
import fleet.tower.answer.UsageError;
import fleet.tower.answer.prime.Briefing;
import fleet.tower.answer.prime.Reader;
import fleet.tower.cli.remote.Requests;
import fleet.tower.cli.shell.Arguments;
import fleet.tower.cli.shell.Command;
import fleet.tower.home.Home;
import fleet.tower.lock.LockClient;
import fleet.tower.operation.RunOperations;
import fleet.tower.platform.Exit;
import fleet.tower.platform.json.JsonObject;

/** {@code tower prime}: prints a page of instructions for agents. */
public final class PrimeCommand {
  private final Home home;
  private final Function<Arguments, LockClient> clients;
  private final Requests requests;
  private final Function<Arguments, Optional<Caller>> callers;

  /** @param callers the caller that a service sees; empty on the home's files */
  public PrimeCommand(Home home, Function<Arguments, LockClient> clients,
      Requests requests, Function<Arguments, Optional<Caller>> callers) {
    this.home = home;
    this.clients = clients;
    this.requests = requests;
    this.callers = callers;
  }

  /** The command in the table. */
  public Command prime() {
    return new Command("prime", List.of(),
        "print a page for agents: what is guarded, how to run it, what to do when refused",
        List.of(value("format", "markdown|text", "the format of the page (default: markdown)")), this::prime);
  }

  private Reply prime(Arguments arguments) {
    String format = arguments.value("format").orElse("markdown");
    if (!List.of("markdown", "text").contains(format)) {
      throw new UsageError("--format '" + format + "' must be markdown or text");
    }
    Reader reader = new Reader(home.actor(Optional.empty()), callers.apply(arguments).orElse(null));
    JsonObject intents = requests.asking(arguments).ask(RunOperations.LIST_INTENTS);
    Briefing briefing = Briefing.of(reader, intents, clients.apply(arguments).list(), requests.halts(arguments),
        Path.of("").toAbsolutePath());
    List<String> page = format.equals("text") ? briefing.text() : briefing.markdown();
    Reply reply = Reply.of(Exit.DONE, briefing.json(format, page));
    page.forEach(reply::data);
    return reply;
  }
}
