package fleet.tower.lock.file;

import java.util.List;

import org.jspecify.annotations.Nullable;

import fleet.tower.lease.Decision;
import fleet.tower.lease.HeldLease;
import fleet.tower.lease.Lease;
import fleet.tower.lease.LeaseState;
import fleet.tower.lock.AcquireOutcome;
import fleet.tower.lock.ForceReleaseOutcome;
import fleet.tower.lock.Freeze;
import fleet.tower.lock.FreezeStore.FreezeOutcome;
import fleet.tower.lock.FreezeStore.UnfreezeOutcome;
import fleet.tower.lock.LockView;
import fleet.tower.lock.PreviousLock;
import fleet.tower.lock.ReleaseOutcome;
import fleet.tower.lock.RenewOutcome;

/** Compares every answer of the store with the file system at the moment it is given. */
final class AnswerChecker {
  private final Checker checker;
  private final SimulatedDisk disk;
  private final SimulatedTime time;
  private final Tally tally;

  AnswerChecker(Checker checker, SimulatedDisk disk, SimulatedTime time, Tally tally) {
    this.checker = checker;
    this.disk = disk;
    this.time = time;
    this.tally = tally;
  }

  /** The path's history when a call began. */
  record Start(long changes, long foreignChanges, long freezeChanges, long haltChanges, int forwardSteps) {}

  Start start(int name) {
    return new Start(checker.ledger(name).changes(), checker.ledger(name).foreignChanges(),
        checker.ledger(name).freeze().changes(), checker.halts().changes(), time.forwardSteps());
  }

  void acquired(Operation operation, Start start, AcquireOutcome outcome) {
    switch (outcome) {
      case AcquireOutcome.Granted(HeldLease held, PreviousLock previous) ->
        granted(operation, start, held, previous);
      case AcquireOutcome.Kept(HeldLease held) -> {
        tally.count(Tally.Event.KEPT);
        require(operation.claim().keeps(text(operation)), "I5", "told to have kept what is another's", operation,
            held);
        holds(operation, start, held, false);
      }
      case AcquireOutcome.Refused(Decision.Refusal refusal) -> refused(operation, start, refusal);
      case AcquireOutcome.Undone undone -> {
        tally.count(undone.leftBehind() ? Tally.Event.LEFT_BEHIND : Tally.Event.UNDONE);
        require(operation.isFaulted() || wasHalted(start), "I3", "undone without an error", operation);
        require(undone.leftBehind() || !standsByNow(operation), "I3", "reported as undone, yet it stands", operation);
      }
    }
  }

  void renewed(Operation operation, Start start, RenewOutcome outcome) {
    Ledger ledger = checker.ledger(operation.name());
    if (outcome instanceof RenewOutcome.Renewed(HeldLease held, long late)) {
      if (ledger.isRemovedByHand(held.lease())) {
        require(!exists(disk.get(ledger.file()), held.lease()), "I11", "a removed lock is back", operation, held);
        // It was removed after the renewal; one that was removed before is not renewed.
        ledger.doubt(operation.process());
        return;
      }
      require(operation.claim().isOf(text(operation)), "I5", "told to have renewed what is another's", operation,
          held);
      tally.count(late > 0 ? Tally.Event.RENEWED_LATE : Tally.Event.RENEWED);
      holds(operation, start, held, false);
      return;
    }
    if (outcome instanceof RenewOutcome.Refused(Decision.OfRun of)) {
      tally.count(Tally.Event.OF_RUN);
      refusedByRun(operation, start, of);
      return;
    }
    tally.count(outcome instanceof RenewOutcome.Gone ? Tally.Event.GONE : Tally.Event.TAKEN);
    require(isChanged(operation, start) || !operation.claim().isOf(text(operation)), "I3",
        "told of a loss, yet it stands", operation);
    ledger.doubt(operation.process());
  }

  void released(Operation operation, Start start, ReleaseOutcome outcome) {
    switch (outcome) {
      case ReleaseOutcome.Released(Lease lease, var _) -> {
        tally.count(Tally.Event.RELEASED);
        freed(operation, lease);
      }
      case ReleaseOutcome.Failed _ -> {
        failedToRemove(operation);
        require(isChanged(operation, start) || operation.claim().isOf(text(operation)), "I3",
            "told that another's lock could not be released", operation);
      }
      case ReleaseOutcome.NotOwner _ -> {
        tally.count(Tally.Event.NOT_OWNER);
        require(isChanged(operation, start) || !operation.claim().isOf(text(operation)), "I3", "the owner is refused",
            operation);
      }
      case ReleaseOutcome.Absent _ -> absent(operation, start);
      case ReleaseOutcome.Refused(Decision.OfRun of) -> {
        tally.count(Tally.Event.OF_RUN);
        refusedByRun(operation, start, of);
      }
      case ReleaseOutcome.Refused _ -> {
        tally.count(Tally.Event.UNREADABLE);
        require(isChanged(operation, start) || text(operation) == null, "I3", "a sound lock is unreadable", operation);
      }
    }
  }

  void forceReleased(Operation operation, Start start, ForceReleaseOutcome outcome) {
    switch (outcome) {
      case ForceReleaseOutcome.Removed(PreviousLock previous, var _) -> {
        tally.count(Tally.Event.FORCE_RELEASED);
        freed(operation, previous.lease());
      }
      case ForceReleaseOutcome.Spared _ -> {
        tally.count(Tally.Event.SPARED);
        LockText lock = text(operation);
        require(isChanged(operation, start) || (lock != null && lock.isSpared()), "I3", "spared without a reason",
            operation);
      }
      case ForceReleaseOutcome.Absent _ -> absent(operation, start);
      case ForceReleaseOutcome.Failed _ -> failedToRemove(operation);
    }
  }

  void froze(Operation operation, Start start, FreezeOutcome outcome) {
    FreezePromise promise = checker.ledger(operation.name()).freeze();
    SimulatedDisk.Inode standing = disk.get(promise.file());
    switch (outcome) {
      case FreezeOutcome.Frozen(Freeze freeze) -> {
        tally.count(Tally.Event.FREEZE);
        boolean changedSince = promise.changes() != operation.freezeChanges();
        require(changedSince || (standing != null && standing == operation.installedFreeze()), "I10",
            "told to be frozen, yet no freeze is there", operation);
        if (!changedSince && standing != null) {
          promise.acknowledge(standing, freeze.expiresAt().getEpochSecond());
        }
      }
      case FreezeOutcome.Kept _ -> throw new IllegalStateException("a store knows of no kept freeze");
      case FreezeOutcome.AlreadyFrozen _ -> {
        tally.count(Tally.Event.ALREADY_FROZEN);
        require(promise.changes() != start.freezeChanges() || standing != null, "I10",
            "told to be frozen already, yet no freeze is there", operation);
      }
    }
  }

  void unfroze(Operation operation, Start start, UnfreezeOutcome outcome) {
    FreezePromise promise = checker.ledger(operation.name()).freeze();
    tally.count(outcome instanceof UnfreezeOutcome.Unfrozen ? Tally.Event.UNFREEZE : Tally.Event.NOT_FROZEN);
    long own = outcome instanceof UnfreezeOutcome.Unfrozen ? 1 : 0;
    require(disk.get(promise.file()) == null || promise.changes() - start.freezeChanges() > own, "I10",
        "told to be lifted, yet the freeze is there", operation, start);
  }

  /** A freeze, or its lifting, ended with an exception. */
  void failedToFreeze(Operation operation, RuntimeException problem) {
    tally.count(operation.isWithoutTurn() ? Tally.Event.NO_TURN : Tally.Event.FAILED);
    require(operation.isFaulted() || operation.isWithoutTurn(), "I9", "an error without a cause", operation, problem);
    SimulatedDisk.Inode installed = operation.installedFreeze();
    boolean stands = installed != null
        && disk.get(checker.ledger(operation.name()).freeze().file()) == installed;
    require(!stands || String.valueOf(problem.getMessage()).contains("may be frozen anyway"), "I10",
        "reported as failed, yet it is frozen", operation, problem);
  }

  void looked(Operation operation, Start start, LockView view) {
    if (isChanged(operation, start)) {
      return;
    }
    SimulatedDisk.Inode inode = disk.get(checker.ledger(operation.name()).file());
    boolean right = switch (view.leaseState()) {
      case LeaseState.Vacant _ -> inode == null;
      case LeaseState.Held(Lease lease, var _) -> exists(inode, lease);
      case LeaseState.Corrupt _,LeaseState.Unsupported _ -> inode != null && inode.text() == null;
    };
    require(right, "I3", "seen what is not there", operation, view);
  }

  void listed(Operation operation, Start start, List<LockView> views) {
    if (isChanged(operation, start)) {
      return;
    }
    String file = checker.ledger(operation.name()).file();
    boolean listed = views.stream().anyMatch(view -> FileNames.lock(view.name()).equals(file)
        && !(view.leaseState() instanceof LeaseState.Vacant));
    require(listed == (disk.get(file) != null), "I3", "the list does not tell what is there", operation);
  }

  /** The files of the name were removed. */
  void forgot(Operation operation) {
    tally.count(Tally.Event.FORGOTTEN);
    String lock = checker.ledger(operation.name()).file();
    require(disk.get("." + lock.replace(".lock", ".fence")) == null, "I3", "forgotten, yet its counter is there",
        operation);
  }

  /** A call ended with an exception. */
  void failed(Operation operation, Start start, RuntimeException problem) {
    boolean foreign = checker.ledger(operation.name()).foreignChanges() != start.foreignChanges();
    tally.count(operation.isWithoutTurn() ? Tally.Event.NO_TURN : Tally.Event.FAILED);
    require(operation.isFaulted() || operation.isWithoutTurn() || foreign, "I9", "an error without a cause", operation,
        problem);
    require(!standsByNow(operation), "I3", "reported as failed, yet it stands", operation, problem);
  }

  private void granted(Operation operation, Start start, HeldLease held, @Nullable PreviousLock previous) {
    tally.count(previous == null ? Tally.Event.GRANTED : Tally.Event.STOLEN);
    SimulatedDisk.Inode replaced = operation.replaced();
    require(!operation.isInstalledUnderHalt(checker.halts().changes()), "I12", "granted under a halt", operation);
    require((previous == null) == (replaced == null), "I5", "not told what was displaced", operation);
    if (previous != null && replaced != null) {
      require(previous.equals(PreviousLock.of(previous.lease(), replaced.content())), "I5",
          "the digest is not of the bytes that were displaced", operation);
    }
    holds(operation, start, held, true);
  }

  /**
   * From now until the lease's deadline, this process acts on its lock. Without a boot clock, nothing distinguishes an
   * old lease from a wall clock that was set forward: then the specification's rule alone decides.
   */
  private void holds(Operation operation, Start start, HeldLease held, boolean durably) {
    Lease lease = held.lease();
    Ledger ledger = checker.ledger(operation.name());
    SimulatedDisk.Inode inode = disk.get(ledger.file());
    require(exists(inode, lease), "I3", "told to hold what does not stand there", operation, lease);
    String request = lease.requestId().value();
    long token = lease.token().value();
    require(!ledger.wasGivenToAnother(token, request), "I2", "a token is given twice", operation, lease);
    ledger.gave(token, request);
    Ledger.Belief rival = time.nanos() - held.deadlineNanos() > 0
        ? null
        : ledger.rivalOf(operation.process(), time.nanos());
    require(rival == null, "I1", "two hold it", operation, lease, rival);
    if (time.hasBootClock() || start.forwardSteps() == time.forwardSteps()) {
      ledger.believe(new Ledger.Belief(operation.process(), request, token, held.deadlineNanos()));
    } else {
      ledger.doubt(operation.process());
    }
    if (durably && inode != null) {
      ledger.acknowledge(inode);
    }
  }

  private void refused(Operation operation, Start start, Decision.Refusal refusal) {
    tally.count(switch (refusal) {
      case Decision.Blocked _ -> Tally.Event.BLOCKED;
      case Decision.Stale _ -> Tally.Event.STALE;
      case Decision.OfRun _ -> Tally.Event.OF_RUN;
      case Decision.Corrupt _,Decision.Unsupported _ -> Tally.Event.UNREADABLE;
      case Decision.Frozen _,Decision.FrozenUnreadably _ -> Tally.Event.FROZEN;
      case Decision.Halted _ -> Tally.Event.HALTED;
      case Decision.Barred _ -> throw new IllegalStateException("there is no policy here");
    });
    require(!standsByNow(operation), "I3", "refused, yet it stands", operation);
    if (refusal instanceof Decision.OfRun of) {
      refusedByRun(operation, start, of);
      return;
    }
    if (refusal instanceof Decision.Halted) {
      require(wasHalted(start), "I12", "refused by a halt that is not there", operation);
      require(isChanged(operation, start) || !operation.claim().keeps(text(operation)), "I12",
          "a holder is refused by a halt", operation);
      return;
    }
    if (refusal instanceof Decision.Frozen || refusal instanceof Decision.FrozenUnreadably) {
      FreezePromise freeze = checker.ledger(operation.name()).freeze();
      require(freeze.changes() != start.freezeChanges() || disk.get(freeze.file()) != null, "I10",
          "refused by a freeze that is not there", operation);
      require(isChanged(operation, start) || !operation.claim().keeps(text(operation)), "I10",
          "a holder is refused by a freeze", operation);
      require(!(refusal instanceof Decision.Frozen frozen)
          || operation.earliestWallSecond() <= frozen.until().getEpochSecond(), "I10",
          "refused by a freeze that was over all the time", operation);
      return;
    }
    if (!isChanged(operation, start)) {
      SimulatedDisk.Inode inode = disk.get(checker.ledger(operation.name()).file());
      require(inode != null && !operation.claim().keeps(inode.text()), "I3", "refused without a reason", operation);
    }
  }

  /** Whether everything was halted at some moment of a call. */
  private boolean wasHalted(Start start) {
    return checker.halts().isPlaced() || checker.halts().changes() != start.haltChanges();
  }

  /** A client named a run; what it may hold itself is not affected. */
  private void refusedByRun(Operation operation, Start start, Decision.OfRun of) {
    LockText lock = text(operation);
    require(isChanged(operation, start)
        || (lock != null && lock.isOfRun() && lock.request().equals(of.run().value())), "I3",
        "refused by a run that holds nothing", operation);
  }

  private void freed(Operation operation, @Nullable Lease lease) {
    Ledger ledger = checker.ledger(operation.name());
    SimulatedDisk.Inode inode = disk.get(ledger.file());
    require(lease == null || !isOfHold(inode, lease), "I3", "told to be free, yet it stands", operation);
    if (!operation.isFaulted()) {
      ledger.acknowledgeFree(operation.seen());
    }
    if (!operation.isFaulted() && lease != null) {
      ledger.gave(lease.token().value(), lease.requestId().value());
    }
  }

  private void absent(Operation operation, Start start) {
    tally.count(Tally.Event.GONE);
    require(isChanged(operation, start) || disk.get(checker.ledger(operation.name()).file()) == null, "I3",
        "told to be absent, yet it stands", operation);
  }

  private void failedToRemove(Operation operation) {
    tally.count(Tally.Event.RELEASE_FAILED);
    require(operation.isFaulted(), "I9", "not removed without a cause", operation);
  }

  private boolean isChanged(Operation operation, Start start) {
    return checker.ledger(operation.name()).changes() != start.changes();
  }

  private @Nullable LockText text(Operation operation) {
    SimulatedDisk.Inode inode = disk.get(checker.ledger(operation.name()).file());
    return inode == null ? null : inode.text();
  }

  /** Whether a lock that this very call wrote is still in place. */
  private boolean standsByNow(Operation operation) {
    SimulatedDisk.Inode installed = operation.installed();
    return installed != null && disk.get(checker.ledger(operation.name()).file()) == installed;
  }

  private static boolean exists(SimulatedDisk.@Nullable Inode inode, Lease lease) {
    LockText text = inode == null ? null : inode.text();
    return text != null && isOfHold(inode, lease) && text.heartbeat().equals(lease.lastHeartbeatAt());
  }

  private static boolean isOfHold(SimulatedDisk.@Nullable Inode inode, Lease lease) {
    LockText text = inode == null ? null : inode.text();
    return text != null && text.request().equals(lease.requestId().value()) && text.token() == lease.token().value();
  }

  private void require(boolean kept, String promise, String what, @Nullable Object... details) {
    checker.require(kept, promise, what, details);
  }
}
