package fleet.tower.cli.mcp;

import static fleet.tower.cli.shell.Option.value;

import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import fleet.tower.access.Caller;
import fleet.tower.access.Role;
import fleet.tower.answer.Reply;
import fleet.tower.answer.UsageError;
import fleet.tower.cli.shell.Arguments;
import fleet.tower.cli.shell.Command;
import fleet.tower.cli.shell.Interruptions;
import fleet.tower.cli.shell.Option;
import fleet.tower.home.Home;
import fleet.tower.home.HomeFinder;
import fleet.tower.lease.Door;
import fleet.tower.platform.process.ProcessUser;
import fleet.tower.platform.text.Console;
import fleet.tower.platform.text.Nearest;
import fleet.tower.remote.Server;

/** {@code tower mcp}: speaks the Model Context Protocol on stdin and stdout. */
public final class McpCommand {
  static final Option ROLE = value("role", "agent|operator",
      "the role on the home's files (default: agent); through a service, the token decides");
  static final Option ACTOR = value("actor", "A", "the actor in the audit log (default: TOWER_ACTOR, else the user)");
  private static final List<String> ROLES = List.of(Role.AGENT.toString(), Role.OPERATOR.toString());

  private final HomeFinder finder;
  private final Home home;
  private final Console console;
  private final Interruptions interruptions;
  private final Function<Arguments, Optional<Server>> servers;
  private final Start start;

  /** @param servers the service that a command uses; empty for the home's files */
  public McpCommand(HomeFinder finder, Home home, Console console, Interruptions interruptions,
      Function<Arguments, Optional<Server>> servers, Start start) {
    this.finder = finder;
    this.home = home;
    this.console = console;
    this.interruptions = interruptions;
    this.servers = servers;
    this.start = start;
  }

  /**
   * The command line's request to speak the protocol.
   *
   * @param caller the caller on the home's files
   * @param service the service to relay messages to, with its current token; null for the home's files
   * @param warnings receives problems that do not stop the work
   */
  public record Request(Home home, Caller caller, @Nullable Supplier<Server> service, Interruptions interruptions,
      Consumer<String> warnings) {}

  /** Speaks the protocol. Injected, so that other commands do not load its classes. */
  public interface Start {
    /** Returns when the client has closed stdin, or a signal has arrived, and everything has ended. */
    Reply run(Request request);
  }

  /** The command in the table. */
  public Command mcp() {
    return new Command("mcp", List.of(), "speak the Model Context Protocol on stdin and stdout, for agents",
        List.of(ROLE, ACTOR), this::mcp);
  }

  private Reply mcp(Arguments arguments) {
    Role role = role(arguments);
    Caller caller = Caller.ofUser(home.actor(arguments.value("actor")), ProcessUser::name, role, Door.MCP);
    boolean isRemote = servers.apply(arguments).isPresent();
    if (isRemote && arguments.has(ROLE.name())) {
      throw new UsageError(
          "--role applies only to the files of a home; a service knows the role of the token; omit it");
    }
    if (!isRemote) {
      requireNamedHome();
    }
    return start.run(new Request(home, caller, isRemote ? () -> servers.apply(arguments).orElseThrow() : null,
        interruptions, warning -> console.words("tower: warning: " + warning)));
  }

  /** A client may start this command in a repository that it has just cloned, whose intents nobody has read. */
  private void requireNamedHome() {
    if (!finder.isNamed()) {
      throw new UsageError("name a home (--home DIR, or TOWER_HOME) or a service (TOWER_URL);"
          + " `tower mcp` takes no home from the working directory");
    }
    finder.find();
  }

  /** The role that a command line requests. */
  static Role role(Arguments arguments) {
    String role = arguments.value(ROLE.name()).orElse(Role.AGENT.toString());
    if (!ROLES.contains(role)) {
      throw new UsageError("--role '" + role + "' must be agent or operator"
          + Nearest.of(role, ROLES).map(nearest -> "; did you mean " + nearest + "?").orElse(""));
    }
    return role.equals(Role.OPERATOR.toString()) ? Role.OPERATOR : Role.AGENT;
  }
}
