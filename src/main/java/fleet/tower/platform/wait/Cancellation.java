package fleet.tower.platform.wait;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Ends a wait from outside, now or before it begins. It cannot be taken back. */
public final class Cancellation {
  private final Set<Listening> listening = new LinkedHashSet<>();
  private boolean cancelled;

  /** Told of the cancellation until it is closed. */
  public final class Listening implements AutoCloseable {
    private final Runnable work;

    private Listening(Runnable work) {
      this.work = work;
    }

    @Override
    public void close() {
      synchronized (Cancellation.this) {
        listening.remove(this);
      }
    }
  }

  /** Ends the waits that know of this. */
  public void cancel() {
    List<Listening> told;
    synchronized (this) {
      cancelled = true;
      told = List.copyOf(listening);
    }
    told.forEach(each -> each.work.run());
  }

  public synchronized boolean isCancelled() {
    return cancelled;
  }

  /** Does this when it is cancelled, now if it is already; perhaps twice, where it is cancelled in this moment. */
  public Listening on(Runnable work) {
    Listening added = new Listening(work);
    boolean already;
    synchronized (this) {
      listening.add(added);
      already = cancelled;
    }
    if (already) {
      work.run();
    }
    return added;
  }
}
