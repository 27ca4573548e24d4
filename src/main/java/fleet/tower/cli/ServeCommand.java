package fleet.tower.cli;

import static fleet.tower.cli.shell.Option.value;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

import fleet.tower.answer.Reply;
import fleet.tower.answer.UsageError;
import fleet.tower.cli.shell.Arguments;
import fleet.tower.cli.shell.Command;
import fleet.tower.home.Home;
import fleet.tower.home.HomeFinder;
import fleet.tower.home.HomeLocation;

/** {@code tower serve}: runs the service until it is stopped. */
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

  /** The command line's request to the service: the home, and the port, or none if the configuration decides. */
  public record Request(Path home, Optional<Integer> port) {}

  /** Starts the service. Injected, so that other commands do not load the framework. */
  public interface Start {
    /** Returns when the service has ended or failed to start. */
    Reply run(Request request);
  }

  Command serve() {
    return new Command("serve", List.of(), "run the service until it is stopped",
        List.of(value("port", "N", "port to listen on (default: 8080; 0 picks a free port and prints it)")),
        this::serve);
  }

  private Reply serve(Arguments arguments) {
    Optional<Integer> port = arguments.number("port").map(ServeCommand::port);
    HomeLocation location = finder.findOrCreate();
    location.requireOnly();
    home.requireSettingsOfService();
    home.upkeep().warnOfPlace();
    return service.run(new Request(location.root(), port));
  }

  private static int port(long number) {
    if (number > MAX_PORT) {
      throw new UsageError("--port " + number + " is not a port; give 0 to " + MAX_PORT);
    }
    return (int) number;
  }
}
