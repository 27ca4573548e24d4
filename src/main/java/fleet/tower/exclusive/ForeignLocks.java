package fleet.tower.exclusive;

import static java.util.Objects.requireNonNull;

import java.util.Optional;
import java.util.function.Consumer;

import fleet.tower.audit.AuditEvent;
import fleet.tower.audit.AuditLog;
import fleet.tower.audit.Origin;
import fleet.tower.exclusive.ForeignLock.Refusal;
import fleet.tower.lease.RequestId;
import fleet.tower.time.TimeSource;

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
  public Verdict look(ForeignName name) {
    return opener.open(name).look();
  }

  /** How one stands, for somebody who is about to begin. */
  public Verdict check(ForeignName name, RequestId by, Origin origin) {
    Verdict verdict = opener.open(name).check();
    if (verdict instanceof Verdict.Cleared(Verdict.Occupant occupant)) {
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

  private static Optional<Refusal> blocking(ForeignName name, Verdict verdict) {
    return switch (verdict) {
      case Verdict.Passable _ -> Optional.empty();
      case Verdict.Blocking why -> Optional.of(new Refusal(name, why));
    };
  }

  /** Looks whether all is free that must be, and takes what must be held; all of it or nothing. */
  public Taking take(ForeignTerms terms, Claim claim) {
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

  private Optional<Refusal> takeInto(HeldLocks held, ForeignTerms terms, Claim claim) {
    for (ForeignName name : terms.exclusive()) {
      switch (hold(name, claim)) {
        case Hold.Granted granted -> held.add(name, granted.hold());
        case Hold.Refused(Verdict.Blocking why) -> {
          return Optional.of(new Refusal(name, why));
        }
      }
    }
    return Optional.empty();
  }

  /** Takes one. */
  public Hold.Outcome hold(ForeignName name, Claim claim) {
    Hold.Outcome outcome = opener.open(name).hold(claim);
    if (outcome instanceof Hold.Granted(Hold _, Verdict.Occupant displaced, boolean already)) {
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
  public Hold.Release release(ForeignName name, Claim claim) {
    ForeignLock lock = opener.open(name);
    Optional<Hold> hold = lock.heldBy(claim);
    if (hold.isPresent()) {
      return HeldLocks.release(name, hold.get(), claim, audit, time);
    }
    Verdict verdict = lock.look();
    return verdict instanceof Verdict.Free ? new Hold.Absent() : new Hold.NotOurs(verdict);
  }

  private void removed(ForeignName name, Verdict.Occupant occupant, RequestId by, Origin origin) {
    audit.append(new AuditEvent.ForeignLockRemoved(by, time.now(), name.toString(), occupant.holder(),
        occupant.pid(), origin));
    log.accept(ForeignAnswers.removed(name, occupant));
  }
}
