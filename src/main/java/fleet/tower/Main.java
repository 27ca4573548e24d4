package fleet.tower;

import fleet.tower.cli.Tower;
import fleet.tower.cli.shell.Console;

/** Where the program begins. */
public final class Main {
  private Main() {}

  /** Runs a command line and ends the process with its exit code. */
  public static void main(String[] line) {
    System.exit(Tower.run(line, System.getenv(), Console.ofProcess()));
  }
}
