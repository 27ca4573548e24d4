package fleet.tower.foreign;

import java.util.Optional;
import java.util.function.Consumer;

import fleet.tower.audit.AuditEvent;
import fleet.tower.audit.AuditLog;
import fleet.tower.audit.Origin;
import fleet.tower.foreign.ForeignLock.Refusal;
import fleet.tower.lease.RequestId;
import fleet.tower.platform.time.TimeSource;

/**
 * Foreign locks for runs and commands: each lock reports its state, and every change is written to the audit log
 * afterwards.
 *
 * <p>A check applies when work starts; a holder that comes later does not stop work in progress.
 */
public final class ForeignLocks {
  private final ForeignLock.Opener opener;
  private final AuditLog audit;
  private final TimeSource time;
  private final Consumer<String> log;

  /** @param log receives removals, in the protocol's own words */
  public ForeignLocks(ForeignLock.Opener opener, AuditLog audit, TimeSource time, Consumer<String> log) {
    this.opener = opener;
    this.audit = audit;
    this.time = time;
    this.log = log;
  }

  /** The outcome of acquiring the foreign locks that a run needs. */
  public sealed interface TakeOutcome {}

  /** The locks to respect are free, and the exclusive ones are held. */
  public record Taken(HeldLocks held) implements TakeOutcome {}

  /** One lock blocks; none is held. */
  public record Refused(Refusal refusal) implements TakeOutcome {}

  /** The state of a lock. Changes nothing. */
  public ForeignLockState state(ForeignName name) {
    return opener.open(name).state();
  }

  /** The state of a lock for a caller about to start work; removes a dead holder's lock. */
  public ForeignLockState check(ForeignName name, RequestId by, Origin origin) {
    ForeignLockState state = opener.open(name).check();
    if (state instanceof ForeignLockState.Cleared(ForeignLockState.Occupant occupant)) {
      removed(name, occupant, by, origin);
    }
    return state;
  }

  /** The lock that blocks a request, if any; acquires none. */
  public Optional<Refusal> refusal(ForeignTerms terms, RequestId by, Origin origin) {
    Optional<Refusal> refusal = unrespected(terms, by, origin);
    if (refusal.isPresent()) {
      return refusal;
    }
    return terms.exclusive().stream().flatMap(name -> blocking(name, state(name)).stream()).findFirst();
  }

  private Optional<Refusal> unrespected(ForeignTerms terms, RequestId by, Origin origin) {
    return terms.respect().stream().flatMap(name -> blocking(name, check(name, by, origin)).stream()).findFirst();
  }

  private static Optional<Refusal> blocking(ForeignName name, ForeignLockState state) {
    return switch (state) {
      case ForeignLockState.Passable _ -> Optional.empty();
      case ForeignLockState.Blocking why -> Optional.of(new Refusal(name, why));
    };
  }

  /** Checks the locks to respect, and acquires the exclusive ones; all or none. */
  public TakeOutcome take(ForeignTerms terms, ForeignLock.Claim claim) {
    Optional<Refusal> unrespected = unrespected(terms, claim.by(), claim.origin());
    if (unrespected.isPresent()) {
      return new Refused(unrespected.get());
    }
    HeldLocks held = new HeldLocks(claim, audit, time);
    boolean isTaken = false;
    try {
      Optional<Refusal> refusal = takeInto(held, terms, claim);
      isTaken = refusal.isEmpty();
      return refusal.<TakeOutcome>map(Refused::new).orElseGet(() -> new Taken(held));
    } finally {
      if (!isTaken) {
        held.release(log);
      }
    }
  }

  private Optional<Refusal> takeInto(HeldLocks held, ForeignTerms terms, ForeignLock.Claim claim) {
    for (ForeignName name : terms.exclusive()) {
      switch (hold(name, claim)) {
        case ForeignLock.Hold.Granted granted -> held.add(name, granted.hold());
        case ForeignLock.Hold.Refused(ForeignLockState.Blocking why) -> {
          return Optional.of(new Refusal(name, why));
        }
      }
    }
    return Optional.empty();
  }

  /** Acquires one lock. */
  public ForeignLock.Hold.Outcome hold(ForeignName name, ForeignLock.Claim claim) {
    ForeignLock.Hold.Outcome outcome = opener.open(name).hold(claim);
    if (outcome instanceof ForeignLock.Hold.Granted(ForeignLock.Hold _, ForeignLockState.Occupant previous, boolean already)) {
      if (previous != null) {
        removed(name, previous, claim.by(), claim.origin());
      }
      if (!already) {
        audit.append(new AuditEvent.ForeignLockAcquired(claim.by(), time.now(), name.toString(), claim.holder(),
            claim.pid(), claim.origin()));
      }
    }
    return outcome;
  }

  /** Releases what a claim was granted before. */
  public ForeignLock.Hold.ReleaseOutcome release(ForeignName name, ForeignLock.Claim claim) {
    ForeignLock lock = opener.open(name);
    Optional<ForeignLock.Hold> hold = lock.heldBy(claim);
    if (hold.isPresent()) {
      return HeldLocks.release(name, hold.get(), claim, audit, time);
    }
    ForeignLockState state = lock.state();
    return state instanceof ForeignLockState.Free ? new ForeignLock.Hold.Absent() : new ForeignLock.Hold.NotOurs(state);
  }

  private void removed(ForeignName name, ForeignLockState.Occupant occupant, RequestId by, Origin origin) {
    audit.append(new AuditEvent.ForeignLockRemoved(by, time.now(), name.toString(), occupant.holder(),
        occupant.pid(), origin));
    log.accept(ProtocolLines.removed(name, occupant));
  }
}
