package fleet.tower.run.process;

import fleet.tower.run.Processes;

/** Starts the first process of a step: leader of its own session and group, in the home, stdin empty, one pipe for what it prints. */
interface Spawner {

  Attempt spawn(Launch launch);

  /** What came of it. */
  sealed interface Attempt {}

  /** It runs. */
  record Begun(Leader leader) implements Attempt {}

  /** It does not run. */
  record Failed(Processes.NotStarted why) implements Attempt {}

  /** The first process of a step and the pipe that it and its children print to. One thread uses it, but for its group. */
  interface Leader extends fleet.tower.platform.process.GroupLeader {
    /**
     * Waits until there is output or the process has ended.
     *
     * @return how many bytes were read; -1 when the process has ended and nothing can be read at this moment
     */
    int read(byte[] buffer);

    /** Whether nobody is left who could print. */
    boolean isPipeClosed();

    /** Waits for the end of the process and gives its number back to the system. */
    Processes.Exit reap();

    /** Lets go of the pipe; whoever still prints gets a broken one. */
    void close();
  }
}
