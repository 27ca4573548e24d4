package fleet.tower.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

import fleet.tower.answer.Reply;
import fleet.tower.answer.UsageError;
import fleet.tower.cli.demo.DemoCommand;
import fleet.tower.cli.lock.ExclusiveCommand;
import fleet.tower.cli.lock.GuardCommand;
import fleet.tower.cli.lock.LockCommands;
import fleet.tower.cli.lock.LockQueries;
import fleet.tower.cli.mcp.InstallCommand;
import fleet.tower.cli.mcp.McpCommand;
import fleet.tower.cli.overview.ApprovalCommands;
import fleet.tower.cli.overview.FollowCommands;
import fleet.tower.cli.overview.OverviewCommands;
import fleet.tower.cli.overview.PlanCommand;
import fleet.tower.cli.remote.Requests;
import fleet.tower.cli.remote.Servers;
import fleet.tower.cli.run.RunCommand;
import fleet.tower.cli.shell.Arguments;
import fleet.tower.cli.shell.Command;
import fleet.tower.cli.shell.CommandTable;
import fleet.tower.cli.shell.Completion;
import fleet.tower.cli.shell.Interruptions;
import fleet.tower.cli.shell.Shell;
import fleet.tower.cli.task.TaskCommands;
import fleet.tower.cli.task.WorkCommand;
import fleet.tower.cli.token.TokenCommands;
import fleet.tower.home.Home;
import fleet.tower.home.HomeFinder;
import fleet.tower.home.NoHomeException;
import fleet.tower.platform.Exit;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.platform.text.Console;

/** The {@code tower} command. */
public final class Tower {
  private static final Map<String, String> ALIASES = Map.of("status", "locks", "--version", "version");

  private Tower() {}

  /** Programs that are more than commands. Injected, so that commands do not load their classes. */
  public record Programs(ServeCommand.Start service, McpCommand.Start mcp) {}

  /** Runs one command line and returns its exit code. */
  public static int run(String[] line, Map<String, String> environment, Console console, Programs programs) {
    Interruptions interruptions = new Interruptions();
    try {
      return run(line, environment, console, interruptions, programs);
    } finally {
      interruptions.commandIsOver();
    }
  }

  private static int run(String[] line, Map<String, String> environment, Console console, Interruptions interruptions,
      Programs programs) {
    HomeFinder finder = new HomeFinder(Shell.home(line), environment);
    try (Home home = new Home(finder, environment, warning -> console.words("tower: warning: " + warning))) {
      CommandTable table = table(finder, home, console, interruptions, programs);
      Shell shell = new Shell(table, CommandManual::manual, Tower::failure);
      return shell.run(line, console).code();
    }
  }

  /** The table of all commands, for documents. Its commands are not run. */
  public static CommandTable table() {
    HomeFinder finder = new HomeFinder(Optional.empty(), Map.of());
    Console console = Console.ofProcess();
    try (Home home = new Home(finder, Map.of(), console::words)) {
      return table(finder, home, console, new Interruptions(),
          new Programs(_ -> Reply.silent(Exit.UNAVAILABLE), _ -> Reply.silent(Exit.UNAVAILABLE)));
    }
  }

  private static Reply failure(RuntimeException failure) {
    return failure instanceof NoHomeException e
        ? Reply.failure(e.code(), e.problem(), e.suggestion())
        : Reply.of(failure);
  }

  private static CommandTable table(HomeFinder finder, Home home, Console console, Interruptions interruptions,
      Programs programs) {
    HomeCommands homes = new HomeCommands(finder, console);
    Servers servers = new Servers(home, console, interruptions);
    SystemCommands house = new SystemCommands(finder, home, servers);
    Requests requests = new Requests(home, console, interruptions, servers);
    Supplier<List<Command>> locks = anywhere(() -> locks(home, console, requests, servers, homes));
    Supplier<List<Command>> runs = anywhere(
        () -> List.of(namedHere(new RunCommand(home, servers::runs).run(), servers, homes),
            new PlanCommand(requests, console).plan(), new PlanCommand(requests, console).probe()));
    List<Supplier<List<Command>>> parts = new ArrayList<>();
    List<Supplier<List<Command>>> first = new ArrayList<>(List.of(locks, runs));
    parts.add(runs);
    parts.add(anywhere(() -> new OverviewCommands(home, requests,
        new FollowCommands(home, console, requests, servers::followed)).all()));
    parts.add(anywhere(() -> new ApprovalCommands(requests).all()));
    parts.add(locks);
    parts.add(anywhere(() -> joined(new TaskCommands(home, console, requests).all(),
        List.of(namedHere(new WorkCommand(home, console, interruptions, requests, servers).work(), servers, homes)))));
    parts.add(anywhere(() -> new MailboxCommands(requests).all()));
    parts.add(anywhere(() -> List.of(new AuditCommand(home, console, servers).audit(), house.doctor(),
        new PrimeCommand(home, servers::locks, requests, servers::caller).prime(),
        new McpCommand(finder, home, console, interruptions, servers::of, programs.mcp()).mcp(),
        new InstallCommand(home, finder, servers::of).install())));
    parts.add(() -> joined(List.of(new ExclusiveCommand(home).exclusive()), new TokenCommands(home).all()));
    Supplier<List<Command>> here = () -> List.of(new IntentCommands(home).validate(),
        new ServeCommand(finder, home, programs.service()).serve(), new DemoCommand(console, interruptions).demo(),
        homes.init(), homes.home(home), new SettingsCommand(home).settings(), new PolicyCommand(home).policy(),
        new MoveCommand(home, console).move(),
        house.gc(), new MigrateCommand(home).migrate(), house.version(),
        new Command("completion", List.of("bash|zsh|fish"), "print a completion script for a shell", List.of(),
            arguments -> completion(arguments, new CommandTable(parts, first, ALIASES).commands())));
    parts.add(here);
    first.add(here);
    return new CommandTable(parts, first, ALIASES);
  }

  private static List<Command> locks(Home home, Console console, Requests requests, Servers servers,
      HomeCommands homes) {
    LockCommands locks = new LockCommands(requests, console);
    return joined(
        joined(
            List.of(namedHere(new GuardCommand(home, console, servers::locks, servers::halts).guard(), servers, homes),
                namedHere(locks.lock(), servers, homes)),
            locks.all()),
        new LockQueries(servers::locks, requests, name -> home.foreignLocks().state(name), home.time()).all());
  }

  /** Commands that a service can carry out, too. */
  private static Supplier<List<Command>> anywhere(Supplier<List<Command>> commands) {
    return () -> commands.get().stream().map(command -> command.with(Servers.OPTION)).toList();
  }

  private static List<Command> joined(List<Command> first, List<Command> others) {
    List<Command> joined = new ArrayList<>(first);
    joined.addAll(others);
    return joined;
  }

  /** A command that takes locks and names their home, unless a service holds them. */
  private static Command namedHere(Command command, Servers servers, HomeCommands homes) {
    Command naming = homes.naming(command);
    return command.acting(arguments -> (servers.isRemote(arguments) ? command : naming).action().run(arguments));
  }

  private static Reply completion(Arguments arguments, List<Command> commands) {
    Completion completion = new Completion(commands, CommandManual.manual());
    String script = switch (arguments.operand(0)) {
      case "bash" -> completion.bash();
      case "zsh" -> completion.zsh();
      case "fish" -> completion.fish();
      default -> throw new UsageError("'" + arguments.operand(0) + "' must be bash, zsh or fish");
    };
    Reply reply = Reply.of(Exit.DONE, JsonWriter.line().put("script", script));
    script.lines().forEach(reply::data);
    return reply;
  }
}
