package fleet.tower.waiting;

import java.util.HashSet;
import java.util.Set;

/** Ends a wait from outside, now or before it begins. It cannot be taken back. */
public final class Cancellation {
  private final Set<Bell> bells = new HashSet<>();
  private boolean cancelled;

  /** Ends the waits that know of this. */
  public synchronized void cancel() {
    cancelled = true;
    bells.forEach(Bell::ring);
  }

  public synchronized boolean isCancelled() {
    return cancelled;
  }

  synchronized void wake(Bell bell) {
    bells.add(bell);
    if (cancelled) {
      bell.ring();
    }
  }

  synchronized void forget(Bell bell) {
    bells.remove(bell);
  }
}
