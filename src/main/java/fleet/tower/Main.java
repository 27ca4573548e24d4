package fleet.tower;

import java.io.IOException;
import java.util.Map;

import fleet.tower.cli.Rehearsal;
import fleet.tower.cli.ServeCommand;
import fleet.tower.cli.Tower;
import fleet.tower.cli.shell.Console;
import fleet.tower.cli.shell.Reply;
import fleet.tower.config.Daemon;
import fleet.tower.config.ServiceRehearsal;

/** Where the program begins. */
public final class Main {
  private Main() {}

  /**
   * Runs a command line and ends the process with its exit code. {@code --rehearse} runs all short commands, and {@code
   * --rehearse-serve} the service, for the launcher, which has the JVM record what starting them takes.
   */
  public static void main(String[] line) throws IOException {
    if (line.length == 1 && line[0].equals("--rehearse")) {
      Rehearsal.run();
      return;
    }
    if (line.length == 1 && line[0].equals("--rehearse-serve")) {
      ServiceRehearsal.run();
      return;
    }
    Map<String, String> environment = System.getenv();
    Console console = Console.ofProcess();
    int code = Tower.run(line, environment, console, request -> serve(environment, console, request));
    if (code != 0) {
      // Everything is written and flushed; the orderly way out would look for a logger first, which takes as long as a command.
      Runtime.getRuntime().halt(code);
    }
  }

  private static Reply serve(Map<String, String> environment, Console console, ServeCommand.Request request) {
    return new Daemon(environment, console).run(request);
  }
}
