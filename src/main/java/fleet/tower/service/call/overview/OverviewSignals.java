package fleet.tower.service.call.overview;

import java.util.HashSet;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import fleet.tower.audit.AuditEvent;
import fleet.tower.audit.AuditListener;
import fleet.tower.lease.LeaseName;
import fleet.tower.run.Run;
import fleet.tower.run.RunListener;

/** The signals that this process changed something, collected while there is a listener. */
public final class OverviewSignals implements AuditListener, RunListener {
  /** The maximum number of locks that are refreshed one by one. */
  private static final int MAX_LOCKS = 50;

  private final Set<LeaseName> locks = new HashSet<>();
  private boolean isChanged;
  private boolean hasTooManyLocks;
  private @Nullable Runnable listener;

  /**
   * What has changed.
   *
   * @param isAny whether anything has
   * @param locks the locks that have; empty if they are too many
   */
  record Changes(boolean isAny, Set<LeaseName> locks) {
    static final Changes NONE = new Changes(false, Set.of());
  }

  /** Collects from now on, and calls the listener at each signal; null ends that. */
  synchronized void listen(@Nullable Runnable next) {
    listener = next;
    var _ = take();
  }

  /** The changes since the last call. */
  synchronized Changes take() {
    Changes taken = new Changes(isChanged, hasTooManyLocks ? Set.of() : Set.copyOf(locks));
    locks.clear();
    isChanged = false;
    hasTooManyLocks = false;
    return taken;
  }

  @Override
  public void written(AuditEvent event) {
    changed(event.lockName());
  }

  /** The event is lost, but the change is not. */
  @Override
  public void lost(AuditEvent event) {
    changed(event.lockName());
  }

  @Override
  public void begun(Run run) {
    changed(null);
  }

  @Override
  public void ended(Run run) {
    changed(null);
  }

  private void changed(@Nullable LeaseName lock) {
    Runnable wake;
    synchronized (this) {
      wake = listener;
      if (wake == null) {
        return;
      }
      isChanged = true;
      if (lock != null && !locks.contains(lock)) {
        hasTooManyLocks |= locks.size() >= MAX_LOCKS;
        if (!hasTooManyLocks) {
          locks.add(lock);
        }
      }
    }
    wake.run();
  }
}
