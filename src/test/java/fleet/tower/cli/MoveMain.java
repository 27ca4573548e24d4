package fleet.tower.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;

import fleet.tower.harness.Await;
import fleet.tower.harness.JavaProcess;
import fleet.tower.home.Home;
import fleet.tower.home.HomeListener;
import fleet.tower.home.move.HomeMove;
import fleet.tower.home.move.MoveStep;

/** A process that moves a home and dies at one step. */
final class MoveMain {
  static final int DEAD = 9;

  private MoveMain() {}

  /** The exit code of a move that dies at a step. */
  static int run(Path root, String url, String step) throws IOException {
    return Await.exitOf(new ProcessBuilder(
        JavaProcess.command(MoveMain.class, root.toString(), url, step))
        .redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.DISCARD).start());
  }

  public static void main(String[] arguments) {
    MoveStep last = MoveStep.valueOf(arguments[2]);
    try (Home home = new Home(Path.of(arguments[0]), Map.of("TOWER_LOCK_INSECURE_DIRECTORY", "true"), _ -> {
    }, HomeListener.NONE); HomeMove move = home.move(step -> {
      if (step == last) {
        Runtime.getRuntime().halt(DEAD);
      }
    })) {
      move.move(new HomeMove.Request(arguments[1], () -> home.newRequestId().value(), Duration.ofMinutes(1), _ -> {
      }));
    }
  }
}
