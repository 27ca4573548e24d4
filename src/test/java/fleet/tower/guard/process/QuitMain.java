package fleet.tower.guard.process;

import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;

import fleet.tower.guard.Commands;
import fleet.tower.platform.time.SystemTime;

/** Runs a shell command as a guard does, and forwards every signal to it; its preparation ends when the test says. */
final class QuitMain {
  private QuitMain() {}

  /**
   * Arguments: when the preparation ends ({@code before} or {@code after} the trap is set, or {@code never}), shell
   * script.
   */
  static void main(String[] arguments) {
    AtomicReference<Runnable> later = new AtomicReference<>(() -> {});
    Executor preparations = switch (arguments[0]) {
      case "before" -> Runnable::run;
      case "after" -> later::set;
      case "never" -> _ -> {};
      default -> throw new IllegalArgumentException(arguments[0]);
    };
    Commands commands = new GuardProcesses(SystemTime.source(), SystemTime.scheduler(), System.err::println)
        .open(preparations);
    CompletableFuture<Commands.Running> running = new CompletableFuture<>();
    try (Commands.Trap _ = commands.trap(signal -> running.join().signal(signal))) {
      later.get().run();
      switch (commands.start(List.of("sh", "-c", arguments[1]), Map.of())) {
        case Commands.NotStarted(int _, String problem) -> throw new IllegalStateException(problem);
        case Commands.Started(Commands.Running command) -> {
          running.complete(command);
          Commands.End _ = command.await(() -> {});
        }
      }
    }
  }
}
