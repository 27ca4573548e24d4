package fleet.tower.cli.mcp;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

import fleet.tower.access.Role;
import fleet.tower.answer.Reply;
import fleet.tower.answer.UsageError;
import fleet.tower.cli.shell.Arguments;
import fleet.tower.cli.shell.Command;
import fleet.tower.cli.shell.Option;
import fleet.tower.home.Home;
import fleet.tower.home.HomeFinder;
import fleet.tower.home.HomeLocation;
import fleet.tower.platform.Exit;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.platform.text.Nearest;
import fleet.tower.remote.Server;

/** {@code tower mcp install}: prints the configuration of a client, and the client's own command that adds it. */
public final class InstallCommand {
  /** The working directory. */
  private static final Path PROJECT = Path.of("").toAbsolutePath();

  private final Home home;
  private final HomeFinder finder;
  private final Function<Arguments, Optional<Server>> servers;

  /** @param servers the service that a command line names; empty for the home's files */
  public InstallCommand(Home home, HomeFinder finder, Function<Arguments, Optional<Server>> servers) {
    this.home = home;
    this.finder = finder;
    this.servers = servers;
  }

  /** The command in the table. */
  public Command install() {
    return new Command("mcp install", List.of(String.join("|", McpClient.names())),
        "print the configuration of an agent's host for the Tower Executor",
        List.of(McpCommand.ROLE,
            Option.value("actor", "A", "the actor in the audit log (default: the name of the host)")),
        this::install);
  }

  private Reply install(Arguments arguments) {
    McpClient client = client(arguments.operand(0));
    ServerEntry entry = entry(client, arguments);
    return printed(client, entry, client.file(PROJECT, home::variable));
  }

  private static McpClient client(String name) {
    return McpClient.of(name).orElseThrow(() -> new UsageError("'" + name + "' must be one of "
        + String.join(", ", McpClient.names())
        + Nearest.of(name, McpClient.names()).map(nearest -> "; did you mean " + nearest + "?").orElse("")));
  }

  private ServerEntry entry(McpClient client, Arguments arguments) {
    Optional<Server> server = servers.apply(arguments);
    if (server.isPresent()) {
      for (String option : List.of(McpCommand.ROLE.name(), "actor")) {
        if (arguments.has(option)) {
          throw new UsageError(
              "--" + option + " applies only to the files of a home; a service takes it from the token");
        }
      }
      return ServerEntry.ofService(server.get().url() + "/mcp");
    }
    Role role = McpCommand.role(arguments);
    HomeLocation location = finder.find();
    List<String> command = new ArrayList<>(List.of(program(), "mcp"));
    String root = location.rule() == HomeLocation.Rule.NEAREST
        ? client.place(PROJECT.relativize(location.root()), location.root())
        : location.root().toString();
    if (!root.isEmpty()) {
      command.addAll(List.of("--home", root));
    }
    command.addAll(List.of("--actor", arguments.value("actor").orElse(client.actor())));
    if (role != Role.AGENT) {
      command.addAll(List.of("--role", role.toString()));
    }
    return ServerEntry.ofCommand(command);
  }

  /** The launcher of this program: its name if the search path leads to it, else its path. */
  private String program() {
    Path jar = Path.of(System.getProperty("java.class.path", "")).toAbsolutePath();
    Path launcher = jar.resolveSibling("../bin/tower").normalize();
    if (!Files.isExecutable(launcher)) {
      return "tower";
    }
    return List.of(home.variable("PATH").orElse("").split(File.pathSeparator, -1)).stream()
        .filter(directory -> !directory.isEmpty()).map(directory -> Path.of(directory, "tower"))
        .filter(Files::isExecutable).findFirst().filter(found -> isSame(found, launcher)).isPresent()
            ? "tower"
            : launcher.toString();
  }

  private static boolean isSame(Path one, Path other) {
    try {
      return Files.isSameFile(one, other);
    } catch (IOException e) {
      return false;
    }
  }

  private static Reply printed(McpClient client, ServerEntry entry, Path path) {
    String configuration = client.configuration(entry);
    Optional<String> command = client.command(entry);
    JsonWriter json = JsonWriter.line().put("client", client.toString()).put("file", path.toString())
        .put("configuration", configuration);
    Reply reply = Reply.of(Exit.DONE, command.isEmpty() ? json : json.put("command", command.get()));
    configuration.lines().forEach(reply::data);
    reply.words("tower: this belongs in " + path + " of " + client.title()
        + command.map(own -> "; or run: " + own).orElse(""));
    return withToken(reply, client, entry);
  }

  private static Reply withToken(Reply reply, McpClient client, ServerEntry entry) {
    if (!entry.isRemote()) {
      return reply;
    }
    return reply.words(client == McpClient.VSCODE
        ? "tower: VS Code asks for the token once and stores it; create one with: tower token create NAME --role agent"
        : "tower: " + client.title() + " reads the token from TOWER_TOKEN in its environment; create one with: tower "
            + "token create NAME --role agent");
  }
}
