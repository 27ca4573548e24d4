package fleet.tower.run;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import fleet.tower.lease.RequestId;
import fleet.tower.platform.secret.Secrets;

/** The processes that do the work of steps, each a group of its own, and what they printed. */
public interface Processes extends AutoCloseable {

  /** Starts a step. When this process dies, however it dies, the step's processes are ended soon after. */
  Started start(Command command, Watcher watcher);

  /** Reads what a step printed, masked, from a byte on. */
  Output read(RequestId requestId, String logName, long from, int maxBytes);

  /** The end of what a step printed, whole lines, valid text. */
  String tail(RequestId requestId, String logName);

  @Override
  void close();

  /**
   * What to run.
   *
   * @param argv the program and its arguments, each literally
   * @param environment what is added to (or replaced in) this process' own environment
   */
  record Command(RequestId requestId, String logName, List<String> argv, Map<String, String> environment,
      Secrets secrets) {
    public Command {
      requireNonNull(requestId);
      requireNonNull(logName);
      argv = List.copyOf(argv);
      environment = Map.copyOf(environment);
      requireNonNull(secrets);
    }
  }

  /** Told what a step does, by a thread that reads what it prints, and never while a lock is held; so it must be quick. */
  interface Watcher {

    /** It has printed something: whole lines or not, and whether it was kept or there was no room for it. */
    default void printed() {}

    /** More output stands in the log. */
    default void logged() {}

    /** Something has become of its output that people should know: it is not kept, or not all of it. */
    default void warned(String what) {}

    /** Told once: the first process has ended, everything it printed is in the log, and nothing of its group is left. */
    void ended(Exit exit);
  }

  /** A step that was started. */
  interface Started {
    /**
     * Ends every process of the step, also those that left its group: TERM, a time of grace, KILL. Returns when none is left;
     * {@code onExit} is told as ever.
     */
    void stop();

    /** The same with no more time of grace than this. */
    default void stop(Duration grace) {
      stop();
    }
  }

  /** How a step's first process ended. */
  sealed interface Exit {}

  /** By itself. */
  record Exited(int code) implements Exit {}

  /** By a signal. */
  record Signalled(int signal) implements Exit {}

  /** It could not be started: 127 when there is no such program, 126 when it may not be run. */
  record NotStarted(int code, String problem) implements Exit {}

  /** A piece of output. */
  record Output(byte[] bytes, long next) {}
}
