package fleet.tower.guard;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.IntConsumer;

/** Runs the commands of guards and receives the signals for them. */
public interface Commands {

  /**
   * Passes every INT, TERM, HUP and QUIT of this process to {@code onSignal}; until it is closed, they do nothing else.
   */
  Trap trap(IntConsumer onSignal);

  /**
   * Starts a command with the caller's directory, input, output and terminal, as a process group of its own. When this
   * process dies for any reason, the command is ended soon after.
   *
   * @param additions to the caller's environment
   */
  Start start(List<String> argv, Map<String, String> additions);

  /** Signals that are passed on. */
  interface Trap extends AutoCloseable {
    @Override
    void close();
  }

  /** The result of starting a command. */
  sealed interface Start {}

  /** It runs. */
  record Started(Running command) implements Start {}

  /** It does not run: the code is 127 if the program does not exist, 126 if it may not be run. */
  record NotStarted(int code, String problem) implements Start {}

  /** A command that was started. */
  interface Running {

    /**
     * Waits for the end of its first process.
     *
     * @param onResume runs whenever this process continues after it was suspended with its command, before the command
     *     continues
     */
    End await(Runnable onResume);

    /** Sends a signal to the command's group. */
    void signal(int signal);

    /** Ends the command and all its processes in any group: TERM, a time of grace, KILL. Returns when none is left. */
    void stop(Duration grace);

    /** Replaces the process that ends the command after our own death, if it is gone. */
    void check();
  }

  /** How a command ended. */
  sealed interface End {}

  /** It exited. */
  record Exited(int code) implements End {}

  /** A signal ended it. */
  record Signalled(int signal) implements End {}
}
