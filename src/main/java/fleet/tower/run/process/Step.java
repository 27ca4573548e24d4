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
 * One step from its start to its end, on a thread of its own.
 *
 * <p>Its thread reads the output until the first process has ended. Who asks for a stop does the ending on his own thread,
 * and the leader is not reaped before that is done: so the number of the group stays ours. Without a stop the leader is
 * reaped at once, and what it left in its group or session is ended.
 */
final class Step implements Processes.Started, Runnable {
  private static final int BUFFER_BYTES = 65536;
  private static final Duration LEFTOVER_GRACE = Duration.ofSeconds(2);
  private static final Duration BETWEEN_LOOKS = Duration.ofMillis(5);

  private final Spawner.Leader leader;
  private final ProcessTree kin;
  private final StepLog log;
  private final Surroundings surroundings;
  private final Processes.Watcher watcher;
  private final Secrets secrets;
  private final CountDownLatch stopped = new CountDownLatch(1);
  private final byte[] buffer = new byte[BUFFER_BYTES];
  /** Made with the first output; most steps that are short print nothing. */
  private @Nullable StreamMask mask;
  private boolean grown;
  private boolean stopping;
  private boolean over;

  Step(Spawner.Leader leader, ProcessTree kin, StepLog log, Surroundings surroundings, Processes.Watcher watcher,
      Secrets secrets) {
    this.leader = leader;
    this.kin = kin;
    this.log = log;
    this.surroundings = surroundings;
    this.watcher = watcher;
    this.secrets = secrets;
  }

  /**
   * What a step runs among.
   *
   * @param grace between TERM and KILL when it is stopped
   * @param watched tells the supervisor that the group needs watching, or no more
   */
  record Surroundings(Duration grace, Scheduler scheduler, Consumer<Boolean> watched, Consumer<String> warnings) {}

  @Override
  public void run() {
    Processes.Exit exit = null;
    try {
      drain();
      exit = settle();
      finishMask();
      log.close();
      tellGrowth();
    } finally {
      Processes.Exit told = exit == null ? abandon() : exit;
      leader.close();
      watcher.ended(told);
    }
  }

  /** Nothing was foreseen that leads here; the step must not run on, and its end must be told. */
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
        kin.end(kin::all, grace.compareTo(surroundings.grace()) < 0 ? grace : surroundings.grace(), () -> {});
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

  /** From the end of the first process to the end of all. */
  private Processes.Exit settle() {
    Processes.@Nullable Exit exit = null;
    synchronized (this) {
      if (!stopping) {
        exit = reap();
      }
    }
    if (exit != null && (!leader.isPipeClosed() || Libc.groupExists(leader.pid()))) {
      endLeftovers();
    }
    while (!isOver()) {
      drain();
      surroundings.scheduler().pause(BETWEEN_LOOKS);
    }
    drain();
    return exit == null ? reap() : exit;
  }

  /** The supervisor forgets the group before its number can be given to another. */
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
    List<ProcessTree.Member> left = kin.inGroup();
    if (left.isEmpty()) {
      return;
    }
    surroundings.watched().accept(true);
    drain();
    kin.end(kin::inGroup, min(LEFTOVER_GRACE, surroundings.grace()), this::drain);
    surroundings.watched().accept(false);
    finishMask();
    String note = "ended what the step had left running: " + secrets.mask(String.join(", ",
        left.stream().map(ProcessTree.Member::toString).toList()));
    grown |= log.note(note);
    surroundings.warnings().accept(note);
  }

  private static Duration min(Duration a, Duration b) {
    return a.compareTo(b) < 0 ? a : b;
  }

  /** Reads what there is, and goes on until the first process has ended. */
  private void drain() {
    for (int length = leader.read(buffer); length >= 0; length = leader.read(buffer)) {
      if (mask == null) {
        mask = secrets.stream();
      }
      mask.accept(buffer, 0, length, this::keep);
      tell(watcher::printed);
      tellGrowth();
    }
  }

  private void finishMask() {
    if (mask != null) {
      mask.finish(this::keep);
    }
  }

  private void keep(byte[] bytes, int offset, int length) {
    grown |= log.append(bytes, offset, length);
  }

  private void tellGrowth() {
    if (grown) {
      grown = false;
      tell(watcher::logged);
    }
  }

  private void tell(Runnable news) {
    try {
      news.run();
    } catch (RuntimeException e) {
      // Whoever follows the output has a problem; the step has none.
      surroundings.warnings().accept("its output could not be told: " + e);
    }
  }
}
