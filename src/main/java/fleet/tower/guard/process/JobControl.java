package fleet.tower.guard.process;

import java.util.Set;
import java.util.concurrent.Semaphore;

import fleet.tower.platform.process.Libc;

/**
 * Makes the command and this process one job of the shell that called: they stop and go on together, and whichever works has
 * the terminal.
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

  /** The command was stopped, by a key or because it wanted the terminal; whoever else stops it will let it go on. */
  void stopped(int signal, Runnable onResume) {
    if (!BY_TERMINAL.contains(signal)) {
      return;
    }
    boolean inForeground = terminal.foreground() == command;
    if (inForeground && signal != SIGTSTP) {
      // It wanted the terminal in the moment before it was given to it.
      resume();
      return;
    }
    if (!terminal.hasShell()) {
      // Nobody would let us go on. In the background it would want the terminal again at once, so it stays as it is.
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

  /** The command has ended; the terminal is ours again, unless a shell has taken it meanwhile. */
  void ended() {
    int foreground = terminal.foreground();
    if (foreground == command || (foreground > 0 && !Libc.groupExists(foreground))) {
      terminal.give(terminal.ourGroup());
    }
    terminal.close();
    SignalTrap.close(listening);
  }
}
