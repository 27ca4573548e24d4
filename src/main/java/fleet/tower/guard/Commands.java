package fleet.tower.guard;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.IntConsumer;

/** The commands that guards run, and the signals that are meant for them. */
public interface Commands {

  /** Tells of every INT, TERM, HUP and QUIT that comes to this process; until it is closed, they do nothing else. */
  Trap trap(IntConsumer onSignal);

  /**
   * Starts a command with the caller's directory, input, output and terminal, as a group of its own. When this process
   * dies, however it dies, the command is ended soon after.
   *
   * @param additions to the caller's environment
   */
  Start start(List<String> argv, Map<String, String> additions);

  /** Signals that are told of. */
  interface Trap extends AutoCloseable {
    @Override
    void close();
  }

  /** What came of starting a command. */
  sealed interface Start {}

  /** It runs. */
  record Started(Running command) implements Start {}

  /** It does not: 127 when there is no such program, 126 when it may not be run. */
  record NotStarted(int code, String problem) implements Start {}

  /** A command that was started. */
  interface Running {

    /**
     * Waits for the end of its first process.
     *
     * @param onResume done whenever this process goes on after it was stopped with its command, before the command does
     */
    End await(Runnable onResume);

    /** Sends a signal to the command's group. */
    void signal(int signal);

    /** Ends the command and all it has started, wherever: TERM, a time of grace, KILL. Returns when none is left. */
    void stop(Duration grace);

    /** Looks whether what ends the command after our own death is still there, and replaces it if not. */
    void check();
  }

  /** How a command ended. */
  sealed interface End {}

  /** By itself. */
  record Exited(int code) implements End {}

  /** By a signal. */
  record Signalled(int signal) implements End {}
}
