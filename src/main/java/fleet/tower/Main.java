package fleet.tower;

import java.io.IOException;

import fleet.tower.cli.Rehearsal;
import fleet.tower.cli.Tower;
import fleet.tower.cli.shell.Console;

/** Where the program begins. */
public final class Main {
  private Main() {}

  /**
   * Runs a command line and ends the process with its exit code. {@code --rehearse} runs all short commands, for the launcher,
   * which has the JVM record what starting them takes.
   */
  public static void main(String[] line) throws IOException {
    if (line.length == 1 && line[0].equals("--rehearse")) {
      Rehearsal.run();
      return;
    }
    int code = Tower.run(line, System.getenv(), Console.ofProcess());
    if (code != 0) {
      // Everything is written and flushed; the orderly way out would look for a logger first, which takes as long as a command.
      Runtime.getRuntime().halt(code);
    }
  }
}
