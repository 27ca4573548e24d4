package fleet.tower.run.request;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import fleet.tower.platform.StorageException;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.run.RunChanges;
import fleet.tower.run.RunRequests;
import fleet.tower.run.RunStore;

/**
 * Receives the requests of other processes for the runs of one executor: at each announcement, and every 0.4 s.
 * It looks only while the executor has runs, for the first time 0.4 s after the first has begun, so that a
 * short run costs nothing.
 */
public final class RequestConsumer {
  static final Duration BETWEEN_LOOKS = Duration.ofMillis(400);

  private final String executor;
  private final RunStore store;
  private final Scheduler scheduler;
  private final Consumer<RunRequests.Pending> receiver;
  private int runs;
  private @Nullable Watch watch;

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
    Watch created = null;
    synchronized (this) {
      if (runs++ == 0) {
        created = new Watch();
        watch = created;
      }
    }
    if (created != null) {
      created.schedule();
    }
  }

  /** The executor has one run less. */
  public void ended() {
    Watch last = null;
    synchronized (this) {
      if (--runs == 0) {
        last = watch;
        watch = null;
      }
    }
    if (last != null) {
      last.close();
    }
  }

  /** Looks now; requests that cannot be read now are found later. */
  public void look() {
    try {
      store.requests().of(executor).forEach(receiver);
    } catch (StorageException later) {
      // The next look is soon.
    }
  }

  /** Looks from time to time until it is closed. The scheduler is never called under the monitor. */
  private final class Watch implements RunChanges.Listener {
    private final AtomicBoolean isDue = new AtomicBoolean();
    private boolean isClosed;
    private Scheduler.@Nullable Pending next;
    private RunChanges.@Nullable Listening listening;

    private void schedule() {
      Scheduler.Pending made = scheduler.after(BETWEEN_LOOKS, this::tick);
      synchronized (this) {
        if (!isClosed) {
          next = made;
          return;
        }
      }
      made.cancel();
    }

    private void tick() {
      synchronized (this) {
        if (!isClosed && listening == null) {
          listening = store.changes().listen(RunChanges.Topic.RUN_REQUESTS, this);
        }
      }
      look();
      schedule();
    }

    @Override
    public void changed(String subject) {
      if (subject.equals(executor) && isDue.compareAndSet(false, true)) {
        scheduler.after(Duration.ZERO, () -> {
          isDue.set(false);
          look();
        });
      }
    }

    @Override
    public void missed() {
      changed(executor);
    }

    private void close() {
      Scheduler.Pending pending;
      RunChanges.Listening last;
      synchronized (this) {
        isClosed = true;
        pending = next;
        last = listening;
      }
      if (pending != null) {
        pending.cancel();
      }
      if (last != null) {
        last.close();
      }
    }
  }
}
