package fleet.tower.run.process;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import fleet.tower.platform.process.Libc;
import fleet.tower.platform.process.ProcessTree;
import fleet.tower.platform.secret.Secrets;
import fleet.tower.platform.secret.StreamMask;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.run.Processes;

/**
 * One step from its start to its end.
 *
 * <p>The thread that awaits it reads the output until the first process has ended. A thread that calls {@link #stop}
 * ends the processes itself, and the leader is not reaped before that is done, so the number of the group cannot be
 * reused. Without a stop the leader is reaped at once, and the processes that it left in its group or session are
 * ended.
 */
final class ProcessStep implements Processes.Started {
  private static final int BUFFER_BYTES = 65536;
  private static final Duration LEFTOVER_GRACE = Duration.ofSeconds(2);
  private static final Duration BETWEEN_LOOKS = Duration.ofMillis(5);

  private final Spawner.Leader leader;
  private final ProcessTree tree;
  private final @Nullable StepLog log;
  private final Surroundings surroundings;
  private final Processes.Watcher watcher;
  private final Secrets secrets;
  private final CountDownLatch stopped = new CountDownLatch(1);
  /** Created with the first output; most short steps print nothing. */
  private byte @Nullable [] buffer;
  private @Nullable StreamMask mask;
  private boolean grown;
  private boolean stopping;
  private boolean over;

  /** @param log gets its output; null if only its watcher does */
  ProcessStep(Spawner.Leader leader, ProcessTree tree, @Nullable StepLog log, Surroundings surroundings,
      Processes.Watcher watcher,
      Secrets secrets) {
    this.leader = leader;
    this.tree = tree;
    this.log = log;
    this.surroundings = surroundings;
    this.watcher = watcher;
    this.secrets = secrets;
  }

  /**
   * The settings and services of a step.
   *
   * @param grace the time between TERM and KILL when the step is stopped
   * @param watched reports to the supervisor whether the group must be watched
   */
  record Surroundings(Duration grace, Scheduler scheduler, Consumer<Boolean> watched, Consumer<String> warnings) {}

  @Override
  public void await() {
    boolean isWoken = false;
    Processes.Exit exit = null;
    try {
      isWoken = !isDrained();
      if (!isWoken) {
        exit = settle();
        finishMask();
        if (log != null) {
          log.close();
        }
        reportGrowth();
      }
    } finally {
      if (!isWoken) {
        Processes.Exit result = exit == null ? abandon() : exit;
        leader.close();
        watcher.ended(result);
      }
    }
  }

  @Override
  public void wake() {
    leader.wake();
  }

  /** An unexpected failure: the step must not keep running, and its end must be reported. */
  private Processes.Exit abandon() {
    stop();
    return leader.holdsGroup() ? reap() : new Processes.Signalled(Libc.SIGKILL);
  }

  @Override
  public void stop() {
    stop(surroundings.grace());
  }

  @Override
  public void stop(Duration grace) {
    boolean first;
    synchronized (this) {
      if (over) {
        return;
      }
      first = !stopping;
      stopping = true;
    }
    if (first) {
      try {
        tree.end(tree::all, grace.compareTo(surroundings.grace()) < 0 ? grace : surroundings.grace(), () -> {});
      } finally {
        stopped.countDown();
      }
    } else {
      awaitStopped();
    }
  }

  private void awaitStopped() {
    boolean interrupted = false;
    for (;;) {
      try {
        stopped.await();
        break;
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** Waits from the end of the first process to the end of all. */
  private Processes.Exit settle() {
    Processes.@Nullable Exit exit = null;
    synchronized (this) {
      if (!stopping) {
        exit = reap();
      }
    }
    if (exit != null && mayHaveLeftovers()) {
      endLeftovers();
    }
    while (!isOver()) {
      drain();
      surroundings.scheduler().pause(BETWEEN_LOOKS);
    }
    drain();
    return exit == null ? reap() : exit;
  }

  /** Whether the list of all processes must be searched, which costs more than a short step. */
  private boolean mayHaveLeftovers() {
    if (Libc.groupExists(leader.pid())) {
      return true;
    }
    if (!leader.isPipeClosed()) {
      leader.awaitPipe();
    }
    return !leader.isPipeClosed();
  }

  /** The supervisor forgets the group before its number can be reused. */
  private Processes.Exit reap() {
    surroundings.watched().accept(false);
    synchronized (leader) {
      return leader.reap();
    }
  }

  private synchronized boolean isOver() {
    over = !stopping || stopped.getCount() == 0;
    return over;
  }

  private void endLeftovers() {
    List<ProcessTree.Member> left = tree.inGroup();
    if (left.isEmpty()) {
      return;
    }
    surroundings.watched().accept(true);
    drain();
    tree.end(tree::inGroup, min(LEFTOVER_GRACE, surroundings.grace()), this::drain);
    surroundings.watched().accept(false);
    finishMask();
    String note = "ended what the step had left running: " + secrets.mask(String.join(", ",
        left.stream().map(ProcessTree.Member::toString).toList()));
    grown |= log != null && log.note(note);
    surroundings.warnings().accept(note);
  }

  private static Duration min(Duration a, Duration b) {
    return a.compareTo(b) < 0 ? a : b;
  }

  /**
   * Reads the output until the first process has ended and nothing is left, whether the wait for it is woken or not.
   */
  private void drain() {
    boolean isDrained = false;
    while (!isDrained) {
      isDrained = isDrained();
    }
  }

  /**
   * Reads the output until the first process has ended and nothing is left; false if the wait for it is woken before.
   */
  private boolean isDrained() {
    for (;;) {
      switch (leader.await()) {
        case OUTPUT -> take();
        case ENDED -> {
          return true;
        }
        case WOKEN -> {
          return false;
        }
      }
    }
  }

  private void take() {
    byte[] into = buffer == null ? new byte[BUFFER_BYTES] : buffer;
    buffer = into;
    StreamMask masking = mask == null ? secrets.stream() : mask;
    mask = masking;
    masking.accept(into, 0, leader.read(into), this::keep);
    report(watcher::printed);
    reportGrowth();
  }

  private void finishMask() {
    if (mask != null) {
      mask.finish(this::keep);
    }
  }

  private void keep(byte[] bytes, int offset, int length) {
    grown |= log != null && log.append(bytes, offset, length);
    report(() -> watcher.output(bytes, offset, length));
  }

  private void reportGrowth() {
    if (grown) {
      grown = false;
      report(watcher::logged);
    }
  }

  private void report(Runnable event) {
    try {
      event.run();
    } catch (RuntimeException e) {
      // A watcher failed; the step did not.
      surroundings.warnings().accept("a watcher of its output failed: " + e);
    }
  }
}
