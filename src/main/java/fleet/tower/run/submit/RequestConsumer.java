package fleet.tower.run.submit;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import fleet.tower.platform.StorageException;
import fleet.tower.platform.time.Notices;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.run.RunChanges;
import fleet.tower.run.RunRequests;
import fleet.tower.run.RunStore;

/**
 * Receives the requests of other processes for the runs of one executor: at each announcement, and every 0.4 s while
 * the executor has runs. One timer serves all runs: most are over before the next look, and cost no timer of their own.
 */
public final class RequestConsumer {
  static final Duration BETWEEN_LOOKS = Duration.ofMillis(400);

  private final String executor;
  private final RunStore store;
  private final Scheduler scheduler;
  private final Consumer<RunRequests.Pending> receiver;
  private int runs;
  private boolean isWatching;
  private Notices.@Nullable Subscription listening;

  /** @param receiver may get the same request several times, until it is removed */
  public RequestConsumer(String executor, RunStore store, Scheduler scheduler,
      Consumer<RunRequests.Pending> receiver) {
    this.executor = executor;
    this.store = store;
    this.scheduler = scheduler;
    this.receiver = receiver;
  }

  /** The executor has one more run. */
  public void begun() {
    boolean isFirst;
    synchronized (this) {
      runs++;
      isFirst = !isWatching;
      isWatching = true;
    }
    if (isFirst) {
      schedule();
    }
  }

  /** The executor has one run less. */
  public synchronized void ended() {
    runs--;
  }

  /** Looks now; requests that cannot be read now are found later. */
  public void look() {
    try {
      store.requests().of(executor).forEach(receiver);
    } catch (StorageException later) {
      // The next look is soon.
    }
  }

  /** The scheduler is never called under the monitor. */
  private void schedule() {
    Scheduler.Pending _ = scheduler.after(BETWEEN_LOOKS, this::tick);
  }

  private void tick() {
    if (!goesOn()) {
      return;
    }
    try {
      listen();
      look();
    } finally {
      schedule();
    }
  }

  private boolean goesOn() {
    Notices.Subscription unused;
    synchronized (this) {
      isWatching = runs > 0;
      if (isWatching) {
        return true;
      }
      unused = listening;
      listening = null;
    }
    if (unused != null) {
      unused.close();
    }
    return false;
  }

  private synchronized void listen() {
    if (listening == null) {
      listening = store.changes().listen(RunChanges.Topic.RUN_REQUESTS, new Announcements());
    }
  }

  /** Announcements of requests; many of them cause one look. */
  private final class Announcements implements Notices.Listener {
    private final AtomicBoolean isDue = new AtomicBoolean();

    @Override
    public void changed(String subject) {
      if (subject.equals(executor) && isDue.compareAndSet(false, true)) {
        Scheduler.Pending _ = scheduler.after(Duration.ZERO, () -> {
          isDue.set(false);
          look();
        });
      }
    }

    @Override
    public void missed() {
      changed(executor);
    }
  }
}
