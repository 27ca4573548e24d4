package fleet.tower.run.output;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Stream;

import fleet.tower.lease.RequestId;
import fleet.tower.platform.StorageException;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.run.OutputStore;
import fleet.tower.run.StepLogs;

/**
 * Copies the logs of this process's steps to the database while they grow, on one thread for all of them:
 * <ol>
 * <li>the thread that writes a log marks it as grown, and does nothing else;
 * <li>a moment later, or at once at the end of a run, the copier reads what was added to the marked logs from their
 * files;
 * <li>it writes all of it in one transaction, and continues until nothing is left.
 * </ol>
 * Nothing is kept in memory but one batch. A batch that could not be written is read again later. What a process leaves
 * is copied by {@link OutputCatchUp}.
 */
final class OutputCopier implements AutoCloseable {
  private static final Duration BATCH_DELAY = Duration.ofMillis(100);
  private static final Duration RETRY_INTERVAL = Duration.ofSeconds(1);
  private static final Duration LONGEST_WAIT = Duration.ofSeconds(5);
  private static final Duration CLOSING_WAIT = Duration.ofSeconds(1);
  private static final int BATCH_BYTES = 16 * OutputStore.CHUNK_BYTES;

  private final StepLogs own;
  private final OutputStore copies;
  private final Scheduler scheduler;
  private final Consumer<String> warnings;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final Set<Log> grown = new LinkedHashSet<>();
  /** The logs of the batch that is being written. */
  private List<Log> inBatch = List.of();
  private boolean isStarted;
  private boolean isDelayed;
  private boolean isDue;
  private boolean isFailing;
  private boolean isClosed;

  OutputCopier(StepLogs own, OutputStore copies, Scheduler scheduler, Consumer<String> warnings) {
    this.own = own;
    this.copies = copies;
    this.scheduler = scheduler;
    this.warnings = warnings;
  }

  /** The log of a started step. What is not copied yet of its earlier tries is in the same one. */
  Log log(RequestId requestId, String name) {
    lock.lock();
    try {
      return Stream.concat(grown.stream(), inBatch.stream())
          .filter(log -> log.requestId.equals(requestId) && log.name.equals(name)).findFirst()
          .orElseGet(() -> new Log(requestId, name));
    } finally {
      lock.unlock();
    }
  }

  /** A log that is copied as it grows. */
  final class Log {
    private final RequestId requestId;
    private final String name;
    /** The position up to which it is copied; used by the copying thread only. */
    private long copied;
    /** Whether it is among the grown ones; false before its file is read. */
    private volatile boolean isMarked;
    private volatile boolean hasOutput;

    private Log(RequestId requestId, String name) {
      this.requestId = requestId;
      this.name = name;
    }

    /** There is more output. */
    void grow() {
      hasOutput = true;
      if (!isMarked) {
        mark(this);
      }
    }

    /** The last output, if any, is in the file. */
    void end() {
      if (hasOutput) {
        grow();
      }
    }
  }

  private void mark(Log log) {
    boolean isFirst;
    boolean isDelaying;
    lock.lock();
    try {
      log.isMarked = true;
      grown.add(log);
      isDelaying = !isDelayed && !isFailing;
      isDelayed |= isDelaying;
      isFirst = !isStarted;
      isStarted = true;
    } finally {
      lock.unlock();
    }
    if (isDelaying) {
      scheduler.after(BATCH_DELAY, this::beDue);
    }
    if (isFirst) {
      Thread.ofVirtual().name("tower-output").start(this::work);
    }
  }

  private void beDue() {
    lock.lock();
    try {
      isDelayed = false;
      isDue = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Waits until all output of a run is copied; false after a limited time. */
  boolean await(RequestId requestId) {
    return await(LONGEST_WAIT, log -> log.requestId.equals(requestId));
  }

  private boolean await(Duration limit, Predicate<Log> wanted) {
    AtomicBoolean isOver = new AtomicBoolean(isCopied(wanted));
    if (isOver.get()) {
      return true;
    }
    Scheduler.Pending end = scheduler.alarm(limit, () -> {
      isOver.set(true);
      wake();
    });
    lock.lock();
    try {
      isDue = true;
      changed.signalAll();
      while (isBehind(wanted) && !isOver.get()) {
        changed.awaitUninterruptibly();
      }
    } finally {
      lock.unlock();
    }
    end.cancel();
    return isCopied(wanted);
  }

  private void wake() {
    lock.lock();
    try {
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private boolean isCopied(Predicate<Log> wanted) {
    lock.lock();
    try {
      return !isBehind(wanted);
    } finally {
      lock.unlock();
    }
  }

  private boolean isBehind(Predicate<Log> wanted) {
    return grown.stream().anyMatch(wanted) || inBatch.stream().anyMatch(wanted);
  }

  private void work() {
    while (awaitWork()) {
      try {
        copyBatch();
        succeed();
      } catch (StorageException | IllegalStateException e) {
        fail(e);
      }
    }
  }

  /** Takes the grown logs; false if there will be none any more. */
  private boolean awaitWork() {
    lock.lock();
    try {
      while (!isClosed && (!isDue || grown.isEmpty())) {
        isDue = false;
        changed.awaitUninterruptibly();
      }
      inBatch = List.copyOf(grown);
      grown.clear();
      inBatch.forEach(log -> log.isMarked = false);
      return !isClosed;
    } finally {
      lock.unlock();
    }
  }

  private void copyBatch() {
    List<OutputStore.Chunk> chunks = new ArrayList<>();
    Set<Log> unfinished = new HashSet<>();
    int left = BATCH_BYTES;
    for (Log log : inBatch) {
      long from = log.copied;
      boolean isAtEnd = false;
      while (!isAtEnd && left > 0) {
        int most = Math.min(OutputStore.CHUNK_BYTES, left);
        StepLogs.Output part = own.read(log.requestId, log.name, from, most);
        isAtEnd = part.bytes().length < most;
        if (part.bytes().length > 0) {
          chunks.add(new OutputStore.Chunk(log.requestId, log.name, from, part.bytes()));
        }
        left -= part.bytes().length;
        from = part.next();
      }
      if (!isAtEnd) {
        unfinished.add(log);
      }
    }
    if (!chunks.isEmpty()) {
      copies.append(chunks);
    }
    advance(chunks, unfinished);
  }

  private void advance(List<OutputStore.Chunk> chunks, Set<Log> unfinished) {
    for (Log log : inBatch) {
      for (OutputStore.Chunk chunk : chunks) {
        if (chunk.requestId().equals(log.requestId) && chunk.logName().equals(log.name)) {
          log.copied = chunk.end();
        }
      }
    }
    lock.lock();
    try {
      unfinished.forEach(log -> log.isMarked = true);
      grown.addAll(unfinished);
      isDue |= !unfinished.isEmpty();
    } finally {
      lock.unlock();
    }
  }

  private void succeed() {
    lock.lock();
    try {
      inBatch = List.of();
      // Logs that grew meanwhile wait for no delay of their own.
      isDue |= isFailing && !grown.isEmpty();
      isFailing = false;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Reports the first failure, and tries again a while later. */
  private void fail(RuntimeException why) {
    boolean isFirst;
    lock.lock();
    try {
      inBatch.forEach(log -> log.isMarked = true);
      grown.addAll(inBatch);
      inBatch = List.of();
      isDue = false;
      isFirst = !isFailing;
      isFailing = true;
    } finally {
      lock.unlock();
    }
    if (isFirst && !(why instanceof StorageException storage && storage.isReported())) {
      warnings.accept("output is in this host's files but not yet in the fleet's database, where it is copied later: "
          + why.getMessage());
    }
    scheduler.after(RETRY_INTERVAL, this::beDue);
  }

  /** Copies what is left, for a limited time, and ends. */
  @Override
  public void close() {
    boolean isFailingNow;
    lock.lock();
    try {
      isFailingNow = isFailing;
    } finally {
      lock.unlock();
    }
    boolean isCopied = !isFailingNow && await(CLOSING_WAIT, _ -> true);
    lock.lock();
    try {
      isClosed = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    if (!isCopied && !isFailingNow) {
      warnings.accept("the last output is not yet in the fleet's database; the service of this host copies it");
    }
  }
}
