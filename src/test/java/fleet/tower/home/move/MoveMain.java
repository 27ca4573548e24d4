package fleet.tower.home.move;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;

import fleet.tower.cli.Tower;
import fleet.tower.harness.Await;
import fleet.tower.harness.JavaProcess;
import fleet.tower.harness.TestHome;
import fleet.tower.home.Home;
import fleet.tower.platform.text.Console;

/** A process that moves a home and dies at one step. */
final class MoveMain {
  static final int DEAD = 9;

  private MoveMain() {}

  /** The exit code of a move, or of its undoing, that dies at a step. */
  static int run(Path root, String url, String step, String command) throws IOException {
    return Await.exitOf(new ProcessBuilder(
        JavaProcess.command(MoveMain.class, root.toString(), url, step, command))
        .redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.DISCARD).start());
  }

  /** Starts a guard that holds a lock until it is ended. */
  static Process hold(Path root, String lock) throws IOException {
    return new ProcessBuilder(JavaProcess.command(MoveMain.class, root.toString(), lock))
        .redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.DISCARD).start();
  }

  public static void main(String[] arguments) {
    if (arguments.length == 2) {
      System.exit(Tower.run(new String[]{"guard", arguments[1], "--", "sleep", "600"},
          Map.of("TOWER_HOME", arguments[0], "TOWER_LOCK_INSECURE_DIRECTORY", "true"), Console.ofProcess(),
          TestHome.PROGRAMS));
    }
    MoveStep last = MoveStep.valueOf(arguments[2]);
    try (
        Home home = new Home(Path.of(arguments[0]), Map.of("TOWER_LOCK_INSECURE_DIRECTORY", "true"), _ -> {},
            Home.Listener.NONE);
        HomeMove move = home.upkeep().move(step -> {
          if (step == last) {
            Runtime.getRuntime().halt(DEAD);
          }
        })) {
      if (arguments[3].equals("undo")) {
        move.undo(arguments[1]);
      }
      move.move(new HomeMove.Request(arguments[1], () -> home.newRequestId().value(), Duration.ofMinutes(1), _ -> {}));
    }
  }
}
