package fleet.tower.lock.file;

import java.util.Arrays;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * Checks every change of a lock's path, just before it happens, against the rules. It does not know how the store keeps
 * them.
 */
final class Checker {
  private final SimulatedTime time;
  private final List<Ledger> ledgers;
  private final SimulatedHalts halts;
  private final Trace trace;
  private final @Nullable String only;
  private @Nullable Violation violation;

  /** @param only the one promise to check, or null for all */
  Checker(SimulatedTime time, List<String> files, SimulatedHalts halts, Trace trace, @Nullable String only) {
    this.time = time;
    this.halts = halts;
    this.ledgers = files.stream().map(Ledger::new).toList();
    this.trace = trace;
    this.only = only;
  }

  /** The first promise that was broken. */
  @Nullable
  Violation violation() {
    return violation;
  }

  SimulatedHalts halts() {
    return halts;
  }

  Ledger ledger(int name) {
    return ledgers.get(name);
  }

  /** A promise is broken: the schedule ends here. */
  void broken(String promise, String what) {
    if ((only == null || only.equals(promise)) && violation == null) {
      violation = new Violation(promise + ": " + what);
      trace.add("checker", violation.toString(), null);
      throw violation;
    }
  }

  /** Breaks the promise unless it was kept. */
  void require(boolean kept, String promise, String what, @Nullable Object... details) {
    if (!kept) {
      broken(promise, what + " " + Arrays.toString(details));
    }
  }

  /** A lock is about to be linked to its name: no process may hold it. */
  void linking(Operation operation, String file, SimulatedDisk.Inode lock) {
    Ledger ledger = ledgerOf(file);
    if (ledger != null && lock.text() != null) {
      require(!ledger.isGone(lock.text()), "I11", "a lock that another program removed is put back", operation,
          lock.text());
    }
    if (ledger == null || operation.kind() == Operation.Kind.RESTORE) {
      return;
    }
    require(operation.kind() == Operation.Kind.ACQUIRE, "I5", "only an acquisition creates", operation);
    installing(ledger, operation, lock, null);
  }

  /** A file is about to take a lock's name from whatever has it. */
  void renaming(Operation operation, String file, SimulatedDisk.@Nullable Inode old, SimulatedDisk.Inode lock) {
    if (operation.kind() == Operation.Kind.RESTORE) {
      return;
    }
    Ledger ledger = ledgerOf(file);
    if (ledger == null) {
      freezing(operation, file, lock);
      return;
    }
    LockText next = lock.text();
    require(next != null, "I4", "a lock that is not whole gets its name", operation);
    if (next == null) {
      return;
    }
    LockText previous = old == null ? null : old.text();
    require(old != null, "I5", "a rename creates a lock where there was none", operation);
    require(previous != null, "I5", "a lock that cannot be read is replaced", operation);
    if (old == null || previous == null) {
      return;
    }
    if (lock == operation.displaced()) {
      operation.displace(null);
      ledger.changed(true, next);
    } else if (operation.claim().keeps(previous)) {
      beating(operation, previous, next);
      lock.installed(new SimulatedDisk.Origin(time.bootNumber(), operation.lastNanos(), false));
      ledger.changed(false, next);
    } else {
      stealing(operation, old, previous, next);
      installing(ledger, operation, lock, old);
    }
  }

  /**
   * A file and a lock are about to swap their names. A program without the guard may have come between the judgement
   * and this: then the lock that it has put there gets the name back.
   */
  void exchanging(Operation operation, String file, SimulatedDisk.Inode old, SimulatedDisk.Inode lock) {
    Ledger ledger = ledgerOf(file);
    if (ledger == null) {
      broken("I5", operation + " exchanges what is no lock");
    } else if (lock == operation.displaced()) {
      operation.displace(old == operation.given() ? null : old);
      operation.give(lock);
      ledger.changed(true, lock.text());
    } else if (old == operation.seen()) {
      operation.give(lock);
      renaming(operation, file, old, lock);
    } else {
      // A heartbeat has nothing to wait for in between; a steal syncs its file, and must look again after that.
      require(operation.lookedJustNow() || operation.kind() == Operation.Kind.RENEW
          || operation.claim().keeps(lock.text()), "I5", "displaced without a second look", operation, old.text());
      operation.give(lock);
      operation.displace(old);
      ledger.isBackForAMoment(lock.text());
      ledger.changed(true, lock.text());
    }
  }

  /** There was nothing to exchange: whoever removed the lock meanwhile has removed the one that it had displaced. */
  void notExchanged(Operation operation) {
    operation.displace(null);
  }

  /** A call of the store is about to end, or its process has been killed. */
  void ending(Operation operation, boolean isKilled) {
    SimulatedDisk.Inode displaced = operation.displaced();
    if (displaced != null) {
      require(isKilled || operation.isFaulted(), "I5", "another program's lock is lost", operation, displaced.text());
      ledger(operation.name()).revoke(displaced.text());
    }
  }

  /** A lock is about to lose its name. */
  void unlinking(Operation operation, String file, SimulatedDisk.Inode old) {
    if (operation.kind() == Operation.Kind.RESTORE) {
      return;
    }
    Ledger ledger = ledgerOf(file);
    if (ledger == null) {
      thawing(operation, file, old);
      return;
    }
    LockText lock = old.text();
    switch (operation.kind()) {
      case ACQUIRE -> {
        SimulatedDisk.Inode own = operation.installed();
        require(own == old, "I5", "an acquisition removes what it has not put there", operation, lock);
      }
      case RELEASE -> require(operation.claim().isOf(lock), "I5", "a release removes another's lock", operation,
          lock);
      case FORCE_RELEASE -> {
        if (lock != null) {
          require(operation.isForced() || !lock.isSpared(), "I5", "a spared lock is removed", operation, lock);
          ledger.revoke(lock);
        }
      }
      case RENEW, FREEZE, UNFREEZE, LOOK, LIST, FORGET, RESTORE -> broken("I5", operation + " removes a lock");
    }
    ledger.changed(false, null);
  }

  /** A file is about to take the name of a freeze. */
  private void freezing(Operation operation, String file, SimulatedDisk.Inode freeze) {
    FreezePromise promise = promiseOf(file);
    if (promise != null) {
      require(operation.kind() == Operation.Kind.FREEZE, "I10", "only a freeze freezes", operation);
      require(!promise.forbids(operation.latestWallSecond()), "I10", "a freeze that is not over is replaced",
          operation);
      promise.changed();
      operation.installFreeze(freeze, promise.changes());
    }
  }

  /** A freeze is about to lose its name. */
  private void thawing(Operation operation, String file, SimulatedDisk.Inode old) {
    FreezePromise promise = promiseOf(file);
    if (promise != null) {
      require(operation.kind() == Operation.Kind.UNFREEZE || operation.installedFreeze() == old
          || !promise.forbids(operation.latestWallSecond()), "I10",
          "a freeze is lifted by somebody who was not asked to", operation);
      promise.changed();
    }
  }

  private @Nullable FreezePromise promiseOf(String file) {
    for (Ledger ledger : ledgers) {
      if (ledger.freeze().file().equals(file)) {
        return ledger.freeze();
      }
    }
    return null;
  }

  /** A program that is not part of the simulation removed a lock, and the removal is on the disk. */
  void removedByForeigner(int name, SimulatedDisk.Inode lock) {
    if (lock.text() != null) {
      ledgers.get(name).gone(lock.text());
    }
  }

  /** A program that is not part of the simulation changed the path. */
  void changedByForeigner(int name, @Nullable LockText now) {
    ledgers.get(name).changed(true, now);
  }

  /** The power failed; {@code disk} is what remains before it is restored. */
  void powerFailed(SimulatedDisk disk) {
    for (Ledger ledger : ledgers) {
      SimulatedDisk.Inode lock = disk.get(ledger.file());
      if (lock != null && lock.text() == null) {
        ledger.torn();
      }
    }
  }

  /** The power failed and is back; {@code disk} is what remains. */
  void powerLost(SimulatedDisk disk) {
    for (Ledger ledger : ledgers) {
      String broken = ledger.brokenBy(disk.get(ledger.file()));
      require(broken == null, "I8", "the power failed and", broken);
      FreezePromise freeze = ledger.freeze();
      String thawed = freeze.brokenBy(disk.get(freeze.file()));
      require(thawed == null, "I8", "the power failed and", thawed);
      freeze.reboot(disk.get(freeze.file()));
      ledger.reboot();
    }
  }

  private void beating(Operation operation, LockText previous, LockText next) {
    require(operation.kind() == Operation.Kind.RENEW || operation.kind() == Operation.Kind.ACQUIRE, "I5",
        "neither a renewal nor an acquisition renews", operation);
    require(previous.differsInHeartbeatOnly(next), "I5", "a heartbeat changes more than itself", previous, next);
    long old = previous.heartbeat().getEpochSecond();
    long beat = next.heartbeat().getEpochSecond();
    require(beat >= old || old - operation.earliestWallSecond() > 60, "I6", "a renewal shortens", previous, next);
    require(beat <= Math.max(old, operation.latestWallSecond()), "I6", "a heartbeat of the future", previous, next);
  }

  private void stealing(Operation operation, SimulatedDisk.Inode old, LockText previous, LockText next) {
    require(operation.kind() == Operation.Kind.ACQUIRE && operation.isForced(), "I5", "stolen without force", operation,
        previous);
    require(operation.seen() == old, "I5", "other bytes are stolen than were judged", operation, previous);
    require(operation.latestWallSecond() - previous.heartbeat().getEpochSecond() > previous.ttlSeconds(), "I6",
        "an active lock is stolen: the wall clock was never past its ttl", operation, previous);
    SimulatedDisk.Origin origin = old.origin();
    if (origin != null && !origin.foreign() && time.hasBootClock() && origin.boot() == time.bootNumber()) {
      require(time.nanos() - origin.stampNanos() > previous.ttlSeconds() * SimulatedTime.SECOND, "I6",
          "an active lock is stolen: the boot clock is not past its ttl", operation, previous);
    }
    require(next.token() > previous.token(), "I2", "the token does not grow from one tenure to the next", previous,
        next);
  }

  private void installing(Ledger ledger, Operation operation, SimulatedDisk.Inode lock,
      SimulatedDisk.@Nullable Inode old) {
    LockText text = lock.text();
    require(text != null, "I4", "a lock that is not whole gets its name", operation);
    require(!ledger.freeze().forbids(operation.latestWallSecond()), "I10", "a frozen name gets a new holder",
        operation);
    if (text != null) {
      require(operation.claim().owns(text), "I5", "installed for another", operation, text);
      require(text.token() > ledger.highestToken(), "I2", "a token is given twice", operation, text,
          ledger.highestToken());
    }
    lock.installed(new SimulatedDisk.Origin(time.bootNumber(), operation.lastNanos(), false));
    operation.install(lock, old);
    if (halts.isPlaced()) {
      operation.installUnderHalt(halts.changes());
    }
    ledger.changed(false, text);
  }

  /** Whether a file is the path of a lock. */
  boolean isLock(String file) {
    return ledgerOf(file) != null;
  }

  private @Nullable Ledger ledgerOf(String file) {
    for (Ledger ledger : ledgers) {
      if (ledger.file().equals(file)) {
        return ledger;
      }
    }
    return null;
  }
}
