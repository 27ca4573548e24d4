package fleet.tower.platform.time;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** A signal that ends waits, now or before they start. It cannot be revoked. */
public final class Cancellation {
  private final Set<Registration> registrations = new LinkedHashSet<>();
  private boolean cancelled;

  /** The registration of a callback; closing it removes the callback. */
  public final class Registration implements AutoCloseable {
    private final Runnable work;

    private Registration(Runnable work) {
      this.work = work;
    }

    @Override
    public void close() {
      synchronized (Cancellation.this) {
        registrations.remove(this);
      }
    }
  }

  /** Ends all waits that use this signal. */
  public void cancel() {
    List<Registration> current;
    synchronized (this) {
      cancelled = true;
      current = List.copyOf(registrations);
    }
    current.forEach(each -> each.work.run());
  }

  public synchronized boolean isCancelled() {
    return cancelled;
  }

  /**
   * Registers a callback, which runs at once if this is already cancelled; it may run twice if this is being
   * cancelled concurrently.
   */
  public Registration on(Runnable work) {
    Registration added = new Registration(work);
    boolean already;
    synchronized (this) {
      registrations.add(added);
      already = cancelled;
    }
    if (already) {
      work.run();
    }
    return added;
  }
}
