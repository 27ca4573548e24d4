package fleet.tower.run.process;

import fleet.tower.run.Processes;

/** Starts the first process of a step: leader of its own session and group, in the home, with empty stdin and one pipe for its output. */
interface Spawner {

  Attempt spawn(Launch launch);

  /** The outcome of a start. */
  sealed interface Attempt {}

  /** The process runs. */
  record Begun(Leader leader) implements Attempt {}

  /** The process could not be started. */
  record Failed(Processes.NotStarted why) implements Attempt {}

  /** The first process of a step, and the pipe for the output of it and its children. One thread uses it, except for its group. */
  interface Leader extends fleet.tower.platform.process.GroupLeader {
    /**
     * Waits until there is output or the process has ended.
     *
     * @return the number of bytes read; -1 if the process has ended and nothing can be read now
     */
    int read(byte[] buffer);

    /** Whether no process is left that could print. */
    boolean isPipeClosed();

    /** Waits for the end of the process, and returns its number to the system. */
    Processes.Exit reap();

    /** Closes the pipe; a process that still prints gets a broken pipe. */
    void close();
  }
}
