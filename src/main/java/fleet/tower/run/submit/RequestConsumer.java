package fleet.tower.run.submit;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import fleet.tower.platform.StorageException;
import fleet.tower.platform.time.Notices;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.platform.time.Watch;
import fleet.tower.run.RunChanges;
import fleet.tower.run.RunRequests;
import fleet.tower.run.RunStore;

/**
 * Receives the requests of other processes for the runs of one executor: at each announcement, and every 0.4 s while
 * the executor has runs.
 */
public final class RequestConsumer {
  static final Duration BETWEEN_LOOKS = Duration.ofMillis(400);

  private final String executor;
  private final RunStore store;
  private final Scheduler scheduler;
  private final Consumer<RunRequests.Pending> receiver;
  private final Watch timer;
  private Notices.@Nullable Subscription listening;

  /** @param receiver may get the same request several times, until it is removed */
  public RequestConsumer(String executor, RunStore store, Scheduler scheduler,
      Consumer<RunRequests.Pending> receiver) {
    this.executor = executor;
    this.store = store;
    this.scheduler = scheduler;
    this.receiver = receiver;
    this.timer = new Watch(scheduler, BETWEEN_LOOKS, () -> {
      listen();
      look();
    }, this::stopListening);
  }

  /** The executor has one more run. */
  public void begun() {
    timer.begun();
  }

  /** The executor has one run less. */
  public void ended() {
    timer.ended();
  }

  /** Looks now; requests that cannot be read now are found later. */
  public void look() {
    try {
      store.requests().of(executor).forEach(receiver);
    } catch (StorageException later) {
      // The next look is soon.
    }
  }

  private void stopListening() {
    Notices.Subscription unused;
    synchronized (this) {
      unused = listening;
      listening = null;
    }
    if (unused != null) {
      unused.close();
    }
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
