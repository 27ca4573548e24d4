package fleet.tower.service.call.overview;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import fleet.tower.platform.time.Scheduler;
import fleet.tower.platform.time.TimeSource;
import fleet.tower.platform.time.WakeUp;

/**
 * The overview, computed once for all its followers. A thread looks at the sources while there is a follower, and each
 * look wakes all followers. A follower compares the current state with the one that it has sent, so a slow one misses
 * states in between, and nothing is queued for it.
 */
public final class OverviewFeed implements AutoCloseable {
  private static final Duration LONGEST_END = Duration.ofSeconds(5);

  private final Supplier<List<OverviewSource>> sources;
  private final OverviewSignals signals;
  private final TimeSource time;
  private final Scheduler scheduler;
  private final WakeUp wakeUp = new WakeUp();
  /** Held during a look; taken before this object's monitor. */
  private final ReentrantLock looking = new ReentrantLock();
  private final Set<WakeUp> followers = new HashSet<>();
  private @Nullable Thread thread;
  private @Nullable OverviewLook shared;
  private @Nullable OverviewState state;
  private @Nullable Throwable failure;
  private @Nullable Full full;
  private @Nullable Step step;
  private boolean isClosed;

  public OverviewFeed(OverviewStores stores, OverviewSignals signals, TimeSource time, Scheduler scheduler) {
    this(() -> stores.sources(time), signals, time, scheduler);
  }

  OverviewFeed(Supplier<List<OverviewSource>> sources, OverviewSignals signals, TimeSource time, Scheduler scheduler) {
    this.sources = sources;
    this.signals = signals;
    this.time = time;
    this.scheduler = scheduler;
  }

  /** A look at all sources, and when it began. */
  private record Full(long begunNanos, OverviewState state) {}

  /** A change as JSON, kept for the other followers; empty if nothing changed. */
  private record Step(OverviewState before, OverviewState after, String json) {}

  /** A place among the followers. */
  interface Place extends AutoCloseable {
    @Override
    void close();
  }

  /** Joins the followers; {@code alarm} is signalled after each look. */
  synchronized Place join(WakeUp alarm) {
    followers.add(alarm);
    if (thread == null && !isClosed) {
      OverviewLook look = new OverviewLook(sources.get(), time);
      shared = look;
      failure = null;
      signals.listen(wakeUp::signal);
      thread = Thread.ofVirtual().name("tower-overview").start(() -> run(look));
    }
    return () -> leave(alarm);
  }

  private synchronized void leave(WakeUp alarm) {
    followers.remove(alarm);
    if (followers.isEmpty()) {
      wakeUp.signal();
    }
  }

  /** The current state; null before the first look. */
  synchronized @Nullable OverviewState state() {
    if (failure != null) {
      throw new IllegalStateException("the overview cannot be computed: " + failure, failure);
    }
    return state;
  }

  /** Whether it is being computed. */
  synchronized boolean isRunning() {
    return thread != null;
  }

  /** The change from one state to another as JSON; empty if they are the same. */
  synchronized String change(OverviewState before, OverviewState after) {
    Step known = step;
    if (known == null || !known.before().equals(before) || !known.after().equals(after)) {
      OverviewChange change = OverviewChange.between(before, after);
      known = new Step(before, after, change.isEmpty() ? "" : change.json(after).end());
      step = known;
    }
    return known.json();
  }

  /** The state after a look that begins now, or began after this call: simultaneous calls share one. */
  OverviewState fresh() {
    long calledNanos = time.nanos();
    looking.lock();
    try {
      Full last = full;
      if (last == null || last.begunNanos() - calledNanos < 0) {
        long begunNanos = time.nanos();
        OverviewLook open = shared();
        last = new Full(begunNanos,
            open == null ? new OverviewLook(sources.get(), time).lookAtAll() : published(open, open.lookAtAll()));
      }
      full = looking.hasQueuedThreads() ? last : null;
      return last.state();
    } finally {
      looking.unlock();
    }
  }

  private synchronized @Nullable OverviewLook shared() {
    return shared;
  }

  private void run(OverviewLook look) {
    try {
      while (!isOver()) {
        long begunNanos = time.nanos();
        look(look);
        await(begunNanos, look);
      }
    } catch (RuntimeException | Error e) {
      fail(e);
    }
  }

  private void look(OverviewLook look) {
    looking.lock();
    try {
      OverviewState _ = published(look, look.look(signals.take()));
    } finally {
      looking.unlock();
    }
  }

  private synchronized OverviewState published(OverviewLook look, OverviewState next) {
    if (look.equals(shared)) {
      state = next;
      followers.forEach(WakeUp::signal);
    }
    return next;
  }

  /** Waits until a source is due or a signal comes; looks are never closer together than signals allow. */
  private void await(long begunNanos, OverviewLook look) {
    Scheduler.Pending alarm = scheduler.after(untilDue(look), wakeUp::signal);
    wakeUp.await();
    alarm.cancel();
    Duration rest = OverviewLook.AFTER_SIGNAL.minusNanos(time.nanos() - begunNanos);
    if (rest.isPositive() && isRunning()) {
      scheduler.pause(rest);
    }
  }

  private Duration untilDue(OverviewLook look) {
    looking.lock();
    try {
      return look.untilDue();
    } finally {
      looking.unlock();
    }
  }

  private synchronized boolean isOver() {
    boolean isOver = followers.isEmpty() || isClosed;
    if (isOver) {
      end();
    }
    return isOver;
  }

  private synchronized void fail(Throwable e) {
    failure = e;
    end();
    followers.forEach(WakeUp::signal);
  }

  private synchronized void end() {
    signals.listen(null);
    thread = null;
    shared = null;
    state = null;
    step = null;
  }

  /** Ends the computation, and returns when no store is read any more. */
  @Override
  public void close() {
    Thread open;
    synchronized (this) {
      isClosed = true;
      open = thread;
    }
    wakeUp.signal();
    if (open != null) {
      try {
        boolean _ = open.join(LONGEST_END);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
