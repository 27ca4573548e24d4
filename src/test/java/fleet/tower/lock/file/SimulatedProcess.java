package fleet.tower.lock.file;

import java.io.IOException;
import java.time.Instant;

import org.jspecify.annotations.Nullable;

import fleet.tower.lease.FencingToken;
import fleet.tower.lease.Owner;
import fleet.tower.lease.RequestId;
import fleet.tower.platform.disk.Journal;
import fleet.tower.platform.disk.RecordedFiles;
import fleet.tower.platform.time.BootStamp;
import fleet.tower.platform.time.TimeSource;
import jdk.internal.vm.Continuation;
import jdk.internal.vm.ContinuationScope;

/**
 * A process that uses the real store. It stops before every file system call and clock reading, and resumes when the
 * schedule says so; a crashed process is never resumed.
 *
 * <p>It runs on a continuation of the JDK, which is internal ({@code --add-exports}): a switch costs 0.1 µs instead of
 * the 10 of a thread, and the seed of the schedule determines the order, so a failure can be repeated. If the class is
 * removed, virtual threads with a scheduler of our own can replace it.
 */
final class SimulatedProcess implements TimeSource {
  private static final ContinuationScope SCOPE = new ContinuationScope("simulation");

  private final int number;
  private final Schedule schedule;
  private final RandomCalls programme;
  private @Nullable Continuation continuation;
  private @Nullable Operation operation;
  private boolean running;
  private long awaitedSlot = -1;
  private long turnDeadline;
  private boolean failing;

  SimulatedProcess(int number, Schedule schedule, Tally tally) {
    this.number = number;
    this.schedule = schedule;
    this.programme = new RandomCalls(this, schedule, tally);
  }

  int number() {
    return number;
  }

  /** Runs to the next stop; restarts after a crash. */
  void resume() {
    Continuation current = continuation;
    if (current == null) {
      FileLockStore store = FileStores.on(directory(), this, schedule.profile().journalBytes(),
          () -> schedule.halts().readBy(this));
      current = new Continuation(SCOPE, () -> live(store));
      continuation = current;
    }
    running = true;
    current.run();
    running = false;
  }

  private SimulatedDirectory directory() {
    return new SimulatedDirectory(schedule, this);
  }

  /** Restores the locks after a power cut, until it is killed after some stops; returns whether it completed. */
  boolean restore(int stops) {
    begin(new Operation(Operation.Kind.RESTORE, number, 0,
        new Operation.Claim(Owner.ofClient(new RequestId("restore"), "kernel"), FencingToken.NONE, false), false));
    SimulatedDirectory directory = directory();
    Restoration restoration = new Restoration(directory, directory::enter,
        new Journal(directory, schedule.profile().journalBytes()), RecordedFiles.NONE, _ -> {});
    Continuation restoring = new Continuation(SCOPE, () -> run(restoration));
    running = true;
    for (int stop = 0; stop < stops && !restoring.isDone(); stop++) {
      restoring.run();
    }
    running = false;
    return restoring.isDone();
  }

  private void run(Restoration restoration) {
    try {
      restoration.begin();
    } catch (IOException failed) {
      // The next process repeats it.
    } catch (Violation seenByTheSchedule) {
      // It ends with it.
    } catch (RuntimeException unexpected) {
      schedule.crashedUnexpectedly(unexpected);
    }
  }

  /** Whether resuming would change anything. */
  boolean canGoOn() {
    return awaitedSlot < 0 || schedule.disk().isFree(awaitedSlot) || schedule.time().nanos() - turnDeadline > 0;
  }

  boolean isDone() {
    return continuation != null && continuation.isDone();
  }

  /** Between two calls of the store. */
  boolean isIdle() {
    return operation == null;
  }

  /** Whether the lock of its name may be removed now without a promise to the caller being broken. */
  boolean isIdleOrRenewing() {
    return operation == null || operation.kind() == Operation.Kind.RENEW;
  }

  /**
   * Ends the process at its current stop, as by SIGKILL; the kernel releases its guards. Returns whether it had one.
   */
  boolean crash() {
    if (operation != null) {
      schedule.checker().ending(operation, true);
    }
    continuation = null;
    operation = null;
    awaitedSlot = -1;
    programme.crashed();
    return schedule.disk().dropGuardsOf(this);
  }

  void begin(Operation next) {
    operation = next;
    next.readNanos(schedule.time().nanos());
    schedule.trace().add(toString(), "begins", next);
  }

  void end(Object outcome) {
    schedule.checker().ending(operation(), false);
    schedule.trace().add(toString(), "ends with", outcome);
    operation = null;
  }

  /** The call of the store that is under way. */
  Operation operation() {
    if (operation == null) {
      throw new IllegalStateException("no operation is under way");
    }
    return operation;
  }

  /** Lets another process run first. */
  void pause(String call, @Nullable String file) {
    if (running && schedule.checker().violation() == null) {
      Continuation.yield(SCOPE);
      schedule.trace().add(this, call, file);
    }
  }

  /** Waits for a guard; false when it took too long. */
  boolean awaitTurn(long slot, long patienceNanos) {
    turnDeadline = schedule.time().nanos() + patienceNanos;
    while (!schedule.disk().enter(slot, this)) {
      if (schedule.time().nanos() - turnDeadline > 0) {
        operation().giveUp();
        return false;
      }
      awaitedSlot = slot;
      pause("waits for its turn", null);
      awaitedSlot = -1;
    }
    return true;
  }

  /** Whether the file system fails now; failures tend to come in groups. */
  boolean isFaultDue() {
    failing = schedule.isFaultDue(failing);
    return failing;
  }

  void failed(String call, @Nullable String file) {
    operation().fault();
    schedule.happened(Tally.Event.FAULT, call + " " + file);
  }

  @Override
  public Instant now() {
    pause("looks at the wall clock", null);
    operation().readWall(schedule.time().wallSecond());
    return schedule.time().wall();
  }

  @Override
  public long nanos() {
    pause("looks at the clock since boot", null);
    operation().readNanos(schedule.time().nanos());
    return schedule.time().nanos();
  }

  @Override
  public @Nullable BootStamp boot() {
    pause("looks at the boot clock", null);
    return schedule.time().bootStamp();
  }

  @Override
  public String toString() {
    return "process " + number;
  }

  private void live(FileLockStore store) {
    try {
      while (schedule.takeOperation()) {
        programme.next(store);
        pause("rests", null);
      }
    } catch (Violation seenByTheSchedule) {
      // It ends with it.
    } catch (RuntimeException unexpected) {
      schedule.crashedUnexpectedly(unexpected);
    }
  }
}
