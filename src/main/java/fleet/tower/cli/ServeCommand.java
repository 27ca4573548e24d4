package fleet.tower.cli;

import static fleet.tower.cli.shell.Option.value;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

import fleet.tower.cli.shell.Arguments;
import fleet.tower.cli.shell.Command;
import fleet.tower.cli.shell.Reply;
import fleet.tower.cli.shell.UsageError;
import fleet.tower.home.Home;
import fleet.tower.home.HomeFinder;

/** {@code tower serve}: runs the service until it is told to stop. */
public final class ServeCommand {
  private static final int MAX_PORT = 65_535;
  private final HomeFinder finder;
  private final Home home;
  private final Start service;

  ServeCommand(HomeFinder finder, Home home, Start service) {
    this.finder = finder;
    this.home = home;
    this.service = service;
  }

  /** What the command line asks of the service: which home it serves, and where; without a port the configuration decides. */
  public record Request(Path home, Optional<Integer> port) {}

  /** Starts the service. It comes from outside, because whoever asks for a lock does not pay for loading a framework. */
  public interface Start {
    /** Comes back when the service has ended, or could not be started. */
    Reply run(Request request);
  }

  Command serve() {
    return new Command("serve", List.of(), "run the service until it is told to stop",
        List.of(value("port", "N", "where to listen (default: 8080; 0 picks a free port and prints it)")), this::serve);
  }

  private Reply serve(Arguments arguments) {
    Optional<Integer> port = arguments.number("port").map(ServeCommand::port);
    Path root = finder.findOrCreate().root();
    home.requireProtection();
    return service.run(new Request(root, port));
  }

  private static int port(long number) {
    if (number > MAX_PORT) {
      throw new UsageError("--port " + number + " is no port; give 0 to " + MAX_PORT);
    }
    return (int) number;
  }
}
