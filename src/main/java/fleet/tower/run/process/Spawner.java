package fleet.tower.run.process;

import fleet.tower.run.Processes;

/**
 * Starts the first process of a step: leader of its own session and group, in the home, with empty stdin and one pipe
 * for its output.
 */
interface Spawner {

  Attempt spawn(Launch launch);

  /** The outcome of a start. */
  sealed interface Attempt {}

  /** The process runs. */
  record Begun(Leader leader) implements Attempt {}

  /** The process could not be started. */
  record Failed(Processes.NotStarted why) implements Attempt {}

  /** The reason why a wait for a process is over. */
  enum Event {
    OUTPUT, ENDED, WOKEN
  }

  /**
   * The first process of a step, and the pipe for the output of it and its children. One thread uses it, except for its
   * group and {@link #wake}.
   */
  interface Leader extends fleet.tower.platform.process.ProcessTree.GroupLeader {
    /** Waits until there is output, the process has ended and nothing can be read now, or {@link #wake} is called. */
    Event await();

    /** Reads the output for which {@link #await} has returned; returns the number of bytes. */
    int read(byte[] buffer);

    /** Makes {@link #await} return, now or the next time, unless the process has ended. Any thread may call it. */
    void wake();

    /** Whether no process is left that could print. */
    boolean isPipeClosed();

    /**
     * Waits a moment for the pipe to be closed, or for output, after the process has ended. The process of another step
     * keeps the pipe open between its fork and its exec.
     */
    void awaitPipe();

    /** Waits for the end of the process, and returns its number to the system. */
    Processes.Exit reap();

    /** Closes the pipe; a process that still prints gets a broken pipe. */
    void close();
  }
}
