package fleet.tower.guard;

import java.time.Duration;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import fleet.tower.platform.time.Cancellation;

/**
 * Passes the signals of a guard on. Before the command starts, the first signal ends the guard; afterwards the first
 * one is sent to the command, and the second ends the command with all its processes. No file is touched here, so that
 * a disk that hangs delays no signal.
 */
final class SignalRelay {
  private final Cancellation waits = new Cancellation();
  private Commands.@Nullable Running command;
  private int arrived;
  private int first;
  private boolean over;

  /** Cancels waits when a signal comes. */
  Cancellation waits() {
    return waits;
  }

  /** The first signal; 0 for none. */
  synchronized int first() {
    return first;
  }

  void accept(int signal) {
    Commands.Running target;
    boolean again;
    synchronized (this) {
      if (over) {
        return;
      }
      arrived++;
      first = first == 0 ? signal : first;
      target = command;
      again = arrived > 1;
    }
    if (target == null) {
      waits.cancel();
    } else if (again) {
      target.stop(Duration.ZERO);
    } else {
      target.signal(signal);
    }
  }

  /** Starts the command, or returns null if a signal has come. A signal that comes meanwhile waits for the start. */
  synchronized Commands.@Nullable Start start(Supplier<Commands.Start> starting) {
    if (first != 0) {
      return null;
    }
    Commands.Start start = starting.get();
    switch (start) {
      case Commands.Started(Commands.Running running) -> command = running;
      case Commands.NotStarted _ -> over = true;
    }
    return start;
  }

  /** The command has ended; later signals are ignored. */
  synchronized void end() {
    over = true;
  }
}
