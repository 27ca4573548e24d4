package fleet.tower.guard;

import java.time.Duration;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import fleet.tower.platform.wait.Cancellation;

/**
 * What signals mean at each moment of a guard. Before the command is started the first one ends the guard; then the first
 * is the command's to answer, and the second ends it with all it has started. No lock on a file is ever held here, so that a
 * disk which hangs delays no signal.
 */
final class SignalRelay {
  private final Cancellation waits = new Cancellation();
  private Commands.@Nullable Running command;
  private int arrived;
  private int first;
  private boolean over;

  /** Ends waits when a signal comes. */
  Cancellation waits() {
    return waits;
  }

  /** The first signal that came; 0 for none. */
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

  /** Starts the command, unless a signal has come; null then. A signal that comes meanwhile waits for it. */
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

  /** The command has ended; signals mean nothing any more. */
  synchronized void end() {
    over = true;
  }
}
