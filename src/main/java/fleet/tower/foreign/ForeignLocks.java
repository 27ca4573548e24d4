package fleet.tower.foreign;

import static java.util.Objects.requireNonNull;

import java.util.Optional;
import java.util.function.Consumer;

import fleet.tower.audit.AuditEvent;
import fleet.tower.audit.AuditLog;
import fleet.tower.audit.Origin;
import fleet.tower.foreign.ForeignLock.Refusal;
import fleet.tower.lease.RequestId;
import fleet.tower.platform.time.TimeSource;

/**
 * Foreign locks as runs and people use them: each lock says how it stands, and every change is told to the audit log behind it.
 *
 * <p>A check is for the beginning of something; what begins to hold the lock later stops nothing that is at work already.
 */
public final class ForeignLocks {
  private final ForeignLock.Opener opener;
  private final AuditLog audit;
  private final TimeSource time;
  private final Consumer<String> log;

  /** @param log told in the protocol's own words what was removed */
  public ForeignLocks(ForeignLock.Opener opener, AuditLog audit, TimeSource time, Consumer<String> log) {
    this.opener = requireNonNull(opener);
    this.audit = requireNonNull(audit);
    this.time = requireNonNull(time);
    this.log = requireNonNull(log);
  }

  /** The answer to who wants to begin under foreign locks. */
  public sealed interface Taking {}

  /** All that must be free is, and all that must be held is ours. */
  public record Taken(HeldLocks held) implements Taking {}

  /** One is in the way; none is held. */
  public record Refused(Refusal refusal) implements Taking {}

  /** How one stands. Changes nothing. */
  public ForeignLockState look(ForeignName name) {
    return opener.open(name).look();
  }

  /** How one stands, for somebody who is about to begin. */
  public ForeignLockState check(ForeignName name, RequestId by, Origin origin) {
    ForeignLockState verdict = opener.open(name).check();
    if (verdict instanceof ForeignLockState.Cleared(ForeignLockState.Occupant occupant)) {
      removed(name, occupant, by, origin);
    }
    return verdict;
  }

  /** What is in the way of somebody who has nothing yet; nothing is taken. */
  public Optional<Refusal> refusal(ForeignTerms terms, RequestId by, Origin origin) {
    Optional<Refusal> refusal = disrespected(terms, by, origin);
    if (refusal.isPresent()) {
      return refusal;
    }
    return terms.exclusive().stream().flatMap(name -> blocking(name, look(name)).stream()).findFirst();
  }

  private Optional<Refusal> disrespected(ForeignTerms terms, RequestId by, Origin origin) {
    return terms.respect().stream().flatMap(name -> blocking(name, check(name, by, origin)).stream()).findFirst();
  }

  private static Optional<Refusal> blocking(ForeignName name, ForeignLockState verdict) {
    return switch (verdict) {
      case ForeignLockState.Passable _ -> Optional.empty();
      case ForeignLockState.Blocking why -> Optional.of(new Refusal(name, why));
    };
  }

  /** Looks whether all is free that must be, and takes what must be held; all of it or nothing. */
  public Taking take(ForeignTerms terms, ForeignClaim claim) {
    Optional<Refusal> disrespected = disrespected(terms, claim.by(), claim.origin());
    if (disrespected.isPresent()) {
      return new Refused(disrespected.get());
    }
    HeldLocks held = new HeldLocks(claim, audit, time);
    boolean isTaken = false;
    try {
      Optional<Refusal> refusal = takeInto(held, terms, claim);
      isTaken = refusal.isEmpty();
      return refusal.<Taking>map(Refused::new).orElseGet(() -> new Taken(held));
    } finally {
      if (!isTaken) {
        held.release(log);
      }
    }
  }

  private Optional<Refusal> takeInto(HeldLocks held, ForeignTerms terms, ForeignClaim claim) {
    for (ForeignName name : terms.exclusive()) {
      switch (hold(name, claim)) {
        case ForeignHold.Granted granted -> held.add(name, granted.hold());
        case ForeignHold.Refused(ForeignLockState.Blocking why) -> {
          return Optional.of(new Refusal(name, why));
        }
      }
    }
    return Optional.empty();
  }

  /** Takes one. */
  public ForeignHold.Outcome hold(ForeignName name, ForeignClaim claim) {
    ForeignHold.Outcome outcome = opener.open(name).hold(claim);
    if (outcome instanceof ForeignHold.Granted(ForeignHold _, ForeignLockState.Occupant displaced, boolean already)) {
      if (displaced != null) {
        removed(name, displaced, claim.by(), claim.origin());
      }
      if (!already) {
        audit.append(new AuditEvent.ForeignLockAcquired(claim.by(), time.now(), name.toString(), claim.holder(),
            claim.pid(), claim.origin()));
      }
    }
    return outcome;
  }

  /** Gives back what a claim was granted before. */
  public ForeignHold.Release release(ForeignName name, ForeignClaim claim) {
    ForeignLock lock = opener.open(name);
    Optional<ForeignHold> hold = lock.heldBy(claim);
    if (hold.isPresent()) {
      return HeldLocks.release(name, hold.get(), claim, audit, time);
    }
    ForeignLockState verdict = lock.look();
    return verdict instanceof ForeignLockState.Free ? new ForeignHold.Absent() : new ForeignHold.NotOurs(verdict);
  }

  private void removed(ForeignName name, ForeignLockState.Occupant occupant, RequestId by, Origin origin) {
    audit.append(new AuditEvent.ForeignLockRemoved(by, time.now(), name.toString(), occupant.holder(),
        occupant.pid(), origin));
    log.accept(ProtocolLines.removed(name, occupant));
  }
}
