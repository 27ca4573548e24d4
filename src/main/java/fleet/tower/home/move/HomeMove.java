package fleet.tower.home.move;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.function.Consumer;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

import fleet.tower.audit.AuditEvent;
import fleet.tower.audit.AuditLog;
import fleet.tower.audit.Origin;
import fleet.tower.home.move.MoveMark.Phase;
import fleet.tower.lease.Actor;
import fleet.tower.lease.LeaseState;
import fleet.tower.lock.HaltSource;
import fleet.tower.lock.HolderProbe;
import fleet.tower.lock.MovingLocks;
import fleet.tower.lock.MovingLocks.MovingLock;
import fleet.tower.platform.StorageException;
import fleet.tower.platform.disk.Errno;
import fleet.tower.platform.disk.OwnerOnly;
import fleet.tower.platform.disk.WrittenFile;
import fleet.tower.platform.disk.WrittenFile.Also;
import fleet.tower.platform.sql.Database;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.platform.time.TimeSource;
import fleet.tower.platform.time.Timestamps;

/**
 * The move of a home into the database of a fleet. A process that dies at any point leaves exactly one side that can be
 * used, or none until the next call finishes or undoes the move:
 *
 * <ol>
 * <li><b>Survey</b>: nothing runs, nothing is held by a live process, and the database has nothing of the same name.
 * <li><b>Drain</b>, on request: stop new work, and wait for the work in progress.
 * <li><b>Freeze</b>: write the mark; then stop every change of the locks and of the SQLite database, in all processes
 * that have them open. Survey again, since work may have started before the barriers were in place.
 * <li><b>Copy</b>: one transaction of the database copies and compares everything, and records that the home is moved.
 * Its commit decides.
 * <li><b>Finish</b>: mark the home as moved.
 * </ol>
 *
 * <p><b>Undo</b> first records in the database that the move is undone, so that a late commit of the copy fails; only
 * then does it remove the barriers.
 */
public final class HomeMove implements AutoCloseable {
  private static final Duration DRAIN_PAUSE = Duration.ofMillis(200);

  private final MovingHome home;
  private final MarkFile marks;
  private final HomeDatabase source;
  private final Consumer<MoveStep> steps;

  /** @param steps receives each step when it is durable */
  public HomeMove(MovingHome home, Consumer<MoveStep> steps) {
    this.home = home;
    this.marks = MarkFile.of(home.root());
    this.source = new HomeDatabase(Database.at(home.database()));
    this.steps = steps;
  }

  /** Whether the SQLite database of a home, by its URL, has anything that a move would copy. */
  public static boolean hasContent(String database) {
    return Database.hasRows(database, Arrays.stream(MovingTable.values()).map(MovingTable::table).toList());
  }

  /** An id of a move. */
  public interface NewId {
    String next();
  }

  /**
   * What to do.
   *
   * @param to the URL of the database
   * @param drain how long to wait for work in progress; zero not to wait
   * @param waiting receives what the move waits for, whenever that changes
   */
  public record Request(String to, NewId ids, Duration drain, Consumer<List<String>> waiting) {}

  /** Checks whether the home can be moved. */
  public MoveOutcome preview(String to) {
    requireOnFiles();
    try (TargetDatabase target = target(to)) {
      Optional<MoveMark> mark = marks.move();
      if (mark.filter(it -> it.phase() == Phase.MOVED).isPresent()) {
        return new MoveOutcome.AlreadyMoved(mark.get());
      }
      Survey survey = Survey.of(home, source);
      return refusal(survey, target).orElseGet(() -> new MoveOutcome.Possible(survey.report(target.name())));
    }
  }

  /** Moves the home, or finishes a move that was interrupted. */
  public MoveOutcome move(Request request) {
    requireOnFiles();
    return alone(() -> {
      try (TargetDatabase target = target(request.to())) {
        return move(request, target);
      }
    });
  }

  /** A home that was never on files has nothing to move. */
  private void requireOnFiles() {
    marks.read().filter(mark -> mark.move() == null && mark.store().isFleet()).ifPresent(mark -> {
      throw new StorageException("the locks of this home are in " + mark.store().place()
          + ", where its first program put them; only a home on files can be moved");
    });
  }

  private MoveOutcome move(Request request, TargetDatabase target) {
    Optional<MoveMark> begun = marks.move();
    if (begun.isPresent()) {
      MoveMark mark = begun.get();
      if (mark.phase() == Phase.MOVED) {
        return new MoveOutcome.AlreadyMoved(mark);
      }
      if (!mark.to().equals(target.name())) {
        return new MoveOutcome.Begun(mark);
      }
      if (mark.phase() == Phase.COPYING && target.hasMoved(mark)) {
        return finish(mark, Survey.of(home, source), target);
      }
      if (mark.phase() == Phase.UNDOING) {
        resume(mark);
      } else if (mark.phase() != Phase.DRAINING) {
        return frozen(mark, request, target);
      }
    }
    return begin(request, target);
  }

  private MoveOutcome begin(Request request, TargetDatabase target) {
    Survey survey = Survey.of(home, source);
    List<String> clashes = target.clashes(survey, source);
    if (!clashes.isEmpty()) {
      return abandon(new MoveOutcome.Clashing(clashes));
    }
    steps.accept(MoveStep.SURVEYED);
    if (!survey.unfit().isEmpty() || (!survey.busy().isEmpty() && request.drain().isZero())) {
      return abandon(busy(survey));
    }
    MoveMark mark = marks.move()
        .orElseGet(() -> new MoveMark(request.ids().next(), Phase.DRAINING, target.name(), now()));
    return survey.busy().isEmpty() ? frozen(mark, request, target) : drained(mark, request, target);
  }

  /** Gives up a move that has stopped only new work. */
  private MoveOutcome abandon(MoveOutcome outcome) {
    marks.move().ifPresent(this::resume);
    return outcome;
  }

  private MoveOutcome drained(MoveMark mark, Request request, TargetDatabase target) {
    mark(mark.in(Phase.DRAINING, now()));
    MovingLocks locks = home.locks();
    if (locks != null) {
      locks.stopGrants();
    }
    source.stopWork(mark.in(Phase.DRAINING, now()).message());
    steps.accept(MoveStep.DRAINING);
    long deadline = home.time().nanos() + request.drain().toNanos();
    List<String> last = List.of();
    for (Survey survey = Survey.of(home, source); !survey.busy().isEmpty(); survey = Survey.of(home, source)) {
      if (!survey.busy().equals(last)) {
        last = survey.busy();
        request.waiting().accept(last);
      }
      if (home.time().nanos() - deadline > 0) {
        return abandon(busy(survey));
      }
      home.scheduler().pause(DRAIN_PAUSE);
    }
    return frozen(mark, request, target);
  }

  /** Freezes the home, and copies it unless work has started meanwhile. */
  private MoveOutcome frozen(MoveMark begun, Request request, TargetDatabase target) {
    MoveMark mark = begun.phase() == Phase.COPYING ? begun : begun.in(Phase.FROZEN, now());
    mark(mark);
    steps.accept(MoveStep.MARKED);
    freeze(mark);
    Survey survey = Survey.of(home, source);
    List<String> clashes = target.clashes(survey, source);
    if (!survey.busy().isEmpty() || !survey.unfit().isEmpty() || !clashes.isEmpty()) {
      if (!decideUndone(mark, target)) {
        return finish(mark, survey, target);
      }
      resume(mark);
      boolean isToDrain = clashes.isEmpty() && survey.unfit().isEmpty() && !request.drain().isZero();
      return isToDrain
          ? begin(request, target)
          : clashes.isEmpty() ? busy(survey) : new MoveOutcome.Clashing(clashes);
    }
    return copied(mark, survey, target);
  }

  /** Writes a mark of a home that still has its locks in its files. */
  private void mark(MoveMark mark) {
    marks.write(new StoreMark(StoreMark.Store.OF_HOME, mark));
  }

  private void freeze(MoveMark mark) {
    MovingLocks locks = home.locks();
    if (locks != null) {
      locks.stopChanges();
    }
    steps.accept(MoveStep.LOCKS_FROZEN);
    source.stopEverything(mark.message());
    steps.accept(MoveStep.FROZEN);
  }

  private MoveOutcome copied(MoveMark frozen, Survey survey, TargetDatabase target) {
    MoveMark mark = frozen.in(Phase.COPYING, now());
    mark(mark);
    steps.accept(MoveStep.COPYING);
    boolean isCopied = target.copy(mark, survey, source, () -> {
      requireUnchanged(survey);
      steps.accept(MoveStep.COPIED);
    });
    if (!isCopied && !target.hasMoved(mark)) {
      throw new StorageException("the move " + mark.id() + " was undone in " + target.name()
          + "; run `tower move --undo` here too");
    }
    steps.accept(MoveStep.COMMITTED);
    return finish(mark, survey, target);
  }

  /** Programs that write lock files without the guard are stopped by the mode of the directory only. */
  private void requireUnchanged(Survey survey) {
    MovingLocks locks = home.locks();
    if (locks != null && !names(locks.read()).equals(names(survey.locks()))) {
      throw new StorageException("a program that does not follow the lock protocol changed locks during the move;"
          + " stop it, then run `tower move` again");
    }
  }

  private static List<String> names(List<MovingLock> locks) {
    return locks.stream().map(lock -> lock.name() + " " + lock.counter() + " "
        + (lock.state() instanceof LeaseState.Held held ? held.lease().requestId() : "")).toList();
  }

  private MoveOutcome finish(MoveMark mark, Survey survey, TargetDatabase target) {
    MoveMark moved = mark.in(Phase.MOVED, now());
    marks.write(new StoreMark(new StoreMark.Store(home.locks() != null, target.identity(), target.name()), moved));
    source.stopEverything(moved.message());
    steps.accept(MoveStep.MOVED);
    home.audit().append(new AuditEvent.HomeMoved(now(), home.root().toString(), target.name(),
        Origin.of(home.actor())));
    return new MoveOutcome.Moved(survey.report(target.name()));
  }

  /**
   * Undoes a move whose copy is not committed.
   *
   * @param to the URL of its database; null if it was never written to
   */
  public MoveOutcome undo(@Nullable String to) {
    return alone(() -> {
      Optional<MoveMark> begun = marks.move();
      if (begun.isEmpty()) {
        return new MoveOutcome.NothingToUndo();
      }
      MoveMark mark = begun.get();
      if (mark.phase() == Phase.MOVED) {
        return new MoveOutcome.AlreadyMoved(mark);
      }
      if (mark.phase() == Phase.COPYING) {
        if (to == null) {
          return new MoveOutcome.Begun(mark);
        }
        try (TargetDatabase target = target(to)) {
          if (!mark.to().equals(target.name())) {
            return new MoveOutcome.Begun(mark);
          }
          if (!decideUndone(mark, target)) {
            return finish(mark, Survey.of(home, source), target);
          }
        }
      }
      resume(mark);
      return new MoveOutcome.Undone(mark);
    });
  }

  /** Decides that a move is undone; false if its copy is committed. */
  private boolean decideUndone(MoveMark mark, TargetDatabase target) {
    return mark.phase() != Phase.COPYING || target.undo(mark);
  }

  /** Removes the barriers, then the mark of the move. */
  private void resume(MoveMark mark) {
    mark(mark.in(Phase.UNDOING, now()));
    steps.accept(MoveStep.UNDOING);
    source.resume();
    steps.accept(MoveStep.DATABASE_RESUMED);
    MovingLocks locks = home.locks();
    if (locks != null) {
      locks.resume();
    }
    marks.write(new StoreMark(StoreMark.Store.OF_HOME, null));
    steps.accept(MoveStep.UNDONE);
  }

  private Optional<MoveOutcome> refusal(Survey survey, TargetDatabase target) {
    List<String> clashes = target.clashes(survey, source);
    if (!clashes.isEmpty()) {
      return Optional.of(new MoveOutcome.Clashing(clashes));
    }
    return survey.busy().isEmpty() && survey.unfit().isEmpty() ? Optional.empty() : Optional.of(busy(survey));
  }

  private static MoveOutcome busy(Survey survey) {
    return new MoveOutcome.Busy(survey.unfit().isEmpty() ? survey.busy() : survey.unfit());
  }

  private TargetDatabase target(String url) {
    return new TargetDatabase(Database.at(url), home);
  }

  private Instant now() {
    return Timestamps.wholeSecond(home.time().now());
  }

  private interface Work {
    MoveOutcome run();
  }

  /** Runs while no other process moves this home. */
  private MoveOutcome alone(Work work) {
    Path file = home.root().resolve("state/move.lock");
    try {
      OwnerOnly.makeDirectories(file.resolveSibling(""));
      try (FileChannel channel = WrittenFile.open(file, Also.CREATE);
          FileLock lock = channel.tryLock()) {
        return lock == null ? new MoveOutcome.InProgress() : work.run();
      } catch (OverlappingFileLockException movedByThisProcess) {
        return new MoveOutcome.InProgress();
      }
    } catch (IOException e) {
      throw new StorageException("the home cannot be moved: " + Errno.describeWithFile(e), e);
    }
  }

  @Override
  public void close() {
    source.close();
    MovingLocks locks = home.locks();
    if (locks != null) {
      locks.close();
    }
  }

  /** The outcome of a move, or of its undoing. */
  public sealed interface MoveOutcome {

    /** The home is in the database. */
    record Moved(Report report) implements MoveOutcome {}

    /** Nothing prevents the move; nothing was changed. */
    record Possible(Report report) implements MoveOutcome {}

    /** The home is in use, or has what cannot be moved; it stays as it is. */
    record Busy(List<String> reasons) implements MoveOutcome {}

    /** The database has other things of the same names; the home stays as it is. */
    record Clashing(List<String> clashes) implements MoveOutcome {}

    /** The home was moved before. */
    record AlreadyMoved(MoveMark mark) implements MoveOutcome {}

    /** A move to another database has started. */
    record Begun(MoveMark mark) implements MoveOutcome {}

    /** Another process moves the home right now. */
    record InProgress() implements MoveOutcome {}

    /** The move was undone. */
    record Undone(MoveMark mark) implements MoveOutcome {}

    /** There is no move to undo. */
    record NothingToUndo() implements MoveOutcome {}
  }

  /**
   * What a move copies.
   *
   * @param to the name of the database
   * @param numbers the number of things of each kind
   */
  public record Report(String to, SortedMap<String, Long> numbers) {}

  /**
   * A home that moves.
   *
   * @param database the URL of its SQLite database
   * @param locks its lock files; null if its locks stay in files
   * @param halts its halts, if its locks do not stay in files
   * @param holders the evidence that holders of its locks are gone
   * @param isAlive whether the executor with an id is alive
   *
   * @param audit its own files of the audit log
   *
   * @param actor who moves it
   */
  public record MovingHome(Path root, String hostId, String database, @Nullable MovingLocks locks, HaltSource halts,
      HolderProbe holders, Predicate<String> isAlive, AuditLog audit, Actor actor, TimeSource time,
      Scheduler scheduler) {}
}
