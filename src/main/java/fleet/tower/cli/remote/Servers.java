package fleet.tower.cli.remote;

import static fleet.tower.cli.shell.Option.value;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

import fleet.tower.access.Caller;
import fleet.tower.answer.CallerJson;
import fleet.tower.answer.RefusedCommand;
import fleet.tower.answer.UsageError;
import fleet.tower.cli.run.HomeRunClient;
import fleet.tower.cli.run.HomeRunFollower;
import fleet.tower.cli.run.RunClient;
import fleet.tower.cli.run.RunFollower;
import fleet.tower.cli.shell.Arguments;
import fleet.tower.cli.shell.Asking;
import fleet.tower.cli.shell.Interruptions;
import fleet.tower.cli.shell.Option;
import fleet.tower.home.Home;
import fleet.tower.lock.HaltSource;
import fleet.tower.lock.LockClient;
import fleet.tower.operation.Ask;
import fleet.tower.operation.HaltOperations;
import fleet.tower.operation.HomeOperations;
import fleet.tower.platform.StorageException;
import fleet.tower.platform.text.Console;
import fleet.tower.remote.Server;
import fleet.tower.remote.Token;

/** Selects the service that performs a command, or the home. */
public final class Servers {
  public static final Option OPTION = value("server", "URL",
      "use the service at URL, with TOWER_TOKEN or TOWER_TOKEN_FILE (default: TOWER_URL, else the home's files)");
  private final Home home;
  private final Console console;
  private final Interruptions interruptions;
  private boolean warned;

  public Servers(Home home, Console console, Interruptions interruptions) {
    this.home = home;
    this.console = console;
    this.interruptions = interruptions;
  }

  /** The locks that a command works on. */
  public LockClient locks(Arguments arguments) {
    return of(arguments).<LockClient>map(server -> new RemoteLockClient(server, home.time())).orElseGet(home::locks);
  }

  /** The halts that the work of a command obeys. */
  public HaltSource halts(Arguments arguments) {
    return of(arguments).<HaltSource>map(server -> () -> halts(server)).orElseGet(home::halts);
  }

  private static HaltSource.InForce halts(Server server) {
    try {
      return LockReader.halts(asking(server).ask(HaltOperations.LIST));
    } catch (RefusedCommand refusal) {
      throw new StorageException(refusal.reply().message(), refusal);
    }
  }

  /** The runs that a command starts. */
  public RunClient runs(Arguments arguments) {
    return of(arguments).<RunClient>map(server -> new RemoteRunClient(server, home, console, interruptions))
        .orElseGet(() -> new HomeRunClient(home, console, interruptions));
  }

  /** The runs that a command follows. */
  public RunFollower followed(Arguments arguments) {
    return of(arguments).<RunFollower>map(server -> new RemoteRunFollower(server, home.scheduler(), home.time()))
        .orElseGet(() -> new HomeRunFollower(home, interruptions));
  }

  /** The caller that a service sees in a command; empty on the home's files. */
  public Optional<Caller> caller(Arguments arguments) {
    return of(arguments).map(server -> CallerJson.read(asking(server).ask(HomeOperations.ME)));
  }

  /** Asks a service. */
  static Asking asking(Server server) {
    return (operation, given) -> server.send(new Ask(operation, given), Duration.ZERO);
  }

  /** Whether a service performs the command. */
  public boolean isRemote(Arguments arguments) {
    return arguments.has("server") || home.variable("TOWER_URL").isPresent();
  }

  /** The service that performs a command, with its current token; empty for the home's files. */
  public Optional<Server> of(Arguments arguments) {
    return arguments.value("server").or(() -> home.variable("TOWER_URL")).map(text -> {
      if (arguments.has("pid")) {
        throw new UsageError("--pid applies only to locks on files; a service's lock has the service's pid; omit it");
      }
      Server server = new Server(url(text), token(), home.actor(arguments.value("actor")));
      if (server.isOverheard() && !warned) {
        warned = true;
        console.words("tower: warning: " + server.overheard());
      }
      return server;
    });
  }

  private static URI url(String text) {
    String bare = text.replaceAll("/+$", "");
    if (!bare.matches("https?://[A-Za-z0-9.:\\[\\]_-]+(/[!-~]*)?")) {
      throw new UsageError("'" + text + "' is not the address of a service, such as http://127.0.0.1:8080");
    }
    return URI.create(bare);
  }

  /** The given token. The home's operator token is not used by default, even if it is readable. */
  private Token token() {
    return home.variable("TOWER_TOKEN").map(Token::given)
        .or(() -> home.variable("TOWER_TOKEN_FILE").map(file -> Token.in(Path.of(file)))).orElse(Token.NONE);
  }
}
