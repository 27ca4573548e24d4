package fleet.tower.cli;

import static fleet.tower.cli.shell.Option.value;

import java.util.List;
import java.util.Optional;

import fleet.tower.cli.shell.Arguments;
import fleet.tower.cli.shell.Command;
import fleet.tower.cli.shell.Reply;
import fleet.tower.cli.shell.UsageError;

/** {@code tower serve}: runs the service until it is told to stop. */
public final class ServeCommand {
  private static final int MAX_PORT = 65_535;
  private final Start service;

  ServeCommand(Start service) {
    this.service = service;
  }

  /** What the command line asks of the service; without a port the configuration decides. */
  public record Request(Optional<Integer> port) {}

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
    return service.run(new Request(arguments.number("port").map(ServeCommand::port)));
  }

  private static int port(long number) {
    if (number > MAX_PORT) {
      throw new UsageError("--port " + number + " is no port; give 0 to " + MAX_PORT);
    }
    return (int) number;
  }
}
