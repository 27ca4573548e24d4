package fleet.tower.run;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import fleet.tower.intent.SecretSource;
import fleet.tower.intent.StepLimits;
import fleet.tower.lease.RequestId;
import fleet.tower.platform.secret.Secrets;

/** The processes of steps, each a process group of its own, and their output on this host. */
public interface Processes extends StepLogs, AutoCloseable {

  /**
   * Starts a step, whose output is read by {@link Started#await}. If this process dies, in whatever way, the processes
   * of the step are ended soon after.
   */
  Started start(Command command, Watcher watcher);

  /** Starts a command in the same way, whose output only its watcher gets: nothing is written. */
  Started look(Command command, Watcher watcher);

  /** Adds a line of the executor to the output of a step whose processes have ended. */
  default void note(RequestId requestId, String logName, String text) {}

  /** Throws if there is no space for the output of further runs. */
  default void requireSpace() {}

  /** Runs work that waits for steps on a thread of its own. */
  void execute(Runnable work);

  /**
   * Waits a limited time until the other hosts of a fleet can read the output of a run whose steps have ended.
   *
   * @return false if they cannot; then it is copied later
   */
  default boolean awaitCopy(RequestId requestId) {
    return true;
  }

  /**
   * Whether no process of a run's steps can exist on this machine any more, whichever executor started them.
   *
   * @param sinceTicks when their executor started, in clock ticks since boot
   */
  default boolean haveEnded(RequestId requestId, long sinceTicks) {
    return false;
  }

  /**
   * The same for a run that was requested at a moment of the wall clock. A clock that was set back since then by more
   * than an hour hides only processes of other users.
   */
  default boolean haveEnded(RequestId requestId, Instant requestedAt) {
    return false;
  }

  /** When a step last printed something, or its executor died; empty if there is no trace of it. */
  default Optional<Instant> lastTrace(RequestId requestId, String logName) {
    return Optional.empty();
  }

  @Override
  void close();

  /**
   * The command of a step.
   *
   * @param argv the program and its arguments, each passed literally
   * @param environment variables that are added to this process's own environment, or replaced in it
   * @param secrets what is masked in its output
   * @param limits what it may use; if they cannot be enforced, it is not started
   * @param sources variables that are read when it starts, and masked too; if one cannot be read, it is not started
   * @param isUndoing whether it undoes something; then it is started without the variables that cannot be read
   */
  record Command(RequestId requestId, String logName, List<String> argv, Map<String, String> environment,
      Secrets secrets, StepLimits limits, Map<String, SecretSource> sources, boolean isUndoing) {
    public Command {
      argv = List.copyOf(argv);
      environment = Map.copyOf(environment);
      sources = Map.copyOf(sources);
    }

    /** A command without limits, and without secrets of this host. */
    public Command(RequestId requestId, String logName, List<String> argv, Map<String, String> environment,
        Secrets secrets) {
      this(requestId, logName, argv, environment, secrets, StepLimits.NONE, Map.of(), false);
    }

    /** The same with the values that were read. */
    public Command with(Map<String, String> values) {
      Map<String, String> all = new HashMap<>(environment);
      all.putAll(values);
      return new Command(requestId, logName, argv, all, secrets.and(values.values()), limits, Map.of(), isUndoing);
    }
  }

  /** Receives the events of a step from the thread that awaits it, which holds no lock; it must return at once. */
  interface Watcher {

    /** The step has printed something, kept or not, complete lines or not. */
    default void printed() {}

    /** The masked output, kept or not; the array is reused after the call. */
    default void output(byte[] bytes, int offset, int length) {}

    /** The log has more output. */
    default void logged() {}

    /** Some output could not be kept. */
    default void warned(String what) {}

    /** Called once: the first process has ended, all its output is in the log, and no process of its group is left. */
    void ended(Exit exit);
  }

  /** A started step. */
  interface Started {
    /**
     * Reads the output of the step until {@link Watcher#ended} was called, or {@link #wake} is called; one thread at a
     * time.
     */
    void await();

    /**
     * Makes {@link #await} return, now or the next time; does nothing if the step has ended. Any thread may call it.
     */
    void wake();

    /**
     * Ends every process of the step, including those that left its group: TERM, a grace period, KILL. Returns when
     * none is left. Another thread awaits the step meanwhile; {@link Watcher#ended} is called as usual.
     */
    void stop();

    /** Ends every process of the step within a shorter grace period. */
    default void stop(Duration grace) {
      stop();
    }
  }

  /** The end of a step's first process. */
  sealed interface Exit {}

  /** It exited. */
  record Exited(int code) implements Exit {}

  /** A signal ended it. */
  record Signalled(int signal) implements Exit {}

  /** It could not be started: 127 if there is no such program, 126 if it cannot be run. */
  record NotStarted(int code, String problem) implements Exit {}
}
