package fleet.tower.guard.process;

import java.util.Set;
import java.util.concurrent.Semaphore;

import fleet.tower.platform.process.Libc;

/**
 * Makes the command and this process one job of the calling shell: they stop and continue together, and the one that
 * runs has the terminal.
 */
final class JobControl {
  private static final int SIGTSTP = 20;
  private static final int SIGTTIN = 21;
  private static final int SIGTTOU = 22;
  private static final Set<Integer> BY_TERMINAL = Set.of(SIGTSTP, SIGTTIN, SIGTTOU);

  private final Terminal terminal;
  private final int command;
  private final Semaphore continued = new Semaphore(0);
  private final AutoCloseable listening;

  JobControl(Terminal terminal, int command) {
    this.terminal = terminal;
    this.command = command;
    this.listening = SignalTrap.listen("CONT", _ -> continued.release());
  }

  /**
   * The command was stopped by a key or because it used the terminal. A process that stops it otherwise also continues
   * it.
   */
  void stopped(int signal, Runnable onResume) {
    if (!BY_TERMINAL.contains(signal)) {
      return;
    }
    boolean inForeground = terminal.foreground() == command;
    if (inForeground && signal != SIGTSTP) {
      // It used the terminal in the moment before it got it.
      resume();
      return;
    }
    if (!terminal.hasShell()) {
      // No shell would continue this process. In the background the command would use the terminal again at once, so it
      // stays stopped.
      if (inForeground) {
        resume();
      }
      return;
    }
    if (inForeground) {
      terminal.give(terminal.ourGroup());
    }
    continued.drainPermits();
    int _ = Libc.kill(0, signal == SIGTTOU ? SIGTSTP : signal);
    continued.acquireUninterruptibly();
    onResume.run();
    if (terminal.isOurs()) {
      terminal.give(command);
    }
    resume();
  }

  private void resume() {
    int _ = Libc.kill(-command, Libc.SIGCONT);
  }

  /** The command has ended; this process takes the terminal back, unless a shell has taken it meanwhile. */
  void ended() {
    int foreground = terminal.foreground();
    if (foreground == command || (foreground > 0 && !Libc.groupExists(foreground))) {
      terminal.give(terminal.ourGroup());
    }
    terminal.close();
    SignalTrap.close(listening);
  }
}
