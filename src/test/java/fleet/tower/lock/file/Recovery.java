package fleet.tower.lock.file;

import java.time.Duration;

import fleet.tower.lease.FencingToken;
import fleet.tower.lease.Holder;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.LeaseState;
import fleet.tower.lease.Owner;
import fleet.tower.lease.RequestId;
import fleet.tower.lease.Ttl;
import fleet.tower.lock.AcquireOutcome;
import fleet.tower.lock.AcquireRequest;
import fleet.tower.lock.ForceReleaseOutcome;
import fleet.tower.lock.FreezeState;
import fleet.tower.lock.FreezeStore.UnfreezeOutcome;
import fleet.tower.lock.LockView;
import fleet.tower.lock.ReleaseOutcome;
import fleet.tower.lock.RenewOutcome;
import fleet.tower.lock.TestRequest;

/** An operator after the storm: takes every name by the documented commands, uses it once, and leaves it free. */
final class Recovery {
  private static final Holder OPERATOR = new Holder("operator", "recover", "1", "here", 1, false);
  private static final RequestId REQUEST = new RequestId("recovery");
  private static final Owner OWNER = Owner.ofClient(REQUEST, OPERATOR.actor());

  private final Schedule schedule;
  private final SimulatedProcess operator;
  private final AnswerChecker answers;
  private final FileLockStore store;
  private final Tally tally;

  Recovery(Schedule schedule, SimulatedProcess operator, Tally tally) {
    this.schedule = schedule;
    this.operator = operator;
    this.tally = tally;
    this.answers = new AnswerChecker(schedule.checker(), schedule.disk(), schedule.time(), tally);
    this.store = FileStores.on(new SimulatedDirectory(schedule, operator), operator);
  }

  void recoverAll() {
    schedule.time().pass((schedule.profile().ttlSeconds() + 2) * SimulatedTime.SECOND);
    for (int name = 0; name < schedule.profile().names(); name++) {
      try {
        recover(name);
      } catch (Violation seen) {
        throw seen;
      } catch (RuntimeException e) {
        require(false, "the store fails on sound hardware", e);
      }
    }
  }

  private void recover(int name) {
    if (isFrozen(name)) {
      require(acquire(name, true) instanceof AcquireOutcome.Refused, "a frozen name is taken", name);
      tally.count(Tally.Event.RECOVERED_FROZEN);
    }
    unfreeze(name);
    switch (look(name)) {
      case FREE -> {
      }
      case STALE -> {
        require(acquire(name, false) instanceof AcquireOutcome.Refused, "a stale lock is taken without force", name);
        tally.count(Tally.Event.RECOVERED_STALE);
      }
      case ACTIVE -> {
        require(acquire(name, true) instanceof AcquireOutcome.Refused, "an active lock is taken", name);
        forceRelease(name);
      }
      case CORRUPT, UNSUPPORTED -> {
        require(acquire(name, true) instanceof AcquireOutcome.Refused, "an unreadable lock is taken", name);
        tally.count(Tally.Event.RECOVERED_CORRUPT);
        forceRelease(name);
      }
    }
    if (schedule.forgets()) {
      forget(name);
    }
    AcquireOutcome outcome = acquire(name, true);
    require(outcome instanceof AcquireOutcome.Granted, "a dead lock cannot be taken by force", outcome);
    if (outcome instanceof AcquireOutcome.Granted granted) {
      use(name, granted.lease().lease().token());
    }
  }

  private void use(int name, FencingToken token) {
    AnswerChecker.Start start = begin(Operation.Kind.RENEW, name, token, false);
    RenewOutcome renewed = store.renew(leaseName(name), OWNER, token);
    answers.renewed(operator.operation(), start, renewed);
    require(renewed instanceof RenewOutcome.Renewed, "a fresh lock cannot be renewed", renewed);
    start = begin(Operation.Kind.RELEASE, name, token, false);
    ReleaseOutcome released = store.release(leaseName(name), OWNER, token);
    answers.released(operator.operation(), start, released);
    require(released instanceof ReleaseOutcome.Released, "a fresh lock cannot be released", released);
    require(look(name) == LeaseState.State.FREE, "a released lock stands", name);
  }

  private AcquireOutcome acquire(int name, boolean force) {
    AnswerChecker.Start start = begin(Operation.Kind.ACQUIRE, name, FencingToken.NONE, force);
    AcquireOutcome outcome = store.acquire(TestRequest.of(leaseName(name), REQUEST, OPERATOR,
        new Ttl(schedule.profile().ttlSeconds()), force).with(AcquireRequest.Reentry.CLIENT));
    schedule.trace().add("operator", "gets", outcome);
    answers.acquired(operator.operation(), start, outcome);
    return outcome;
  }

  private void forceRelease(int name) {
    AnswerChecker.Start start = begin(Operation.Kind.FORCE_RELEASE, name, FencingToken.NONE, true);
    ForceReleaseOutcome outcome = store.forceRelease(leaseName(name));
    answers.forceReleased(operator.operation(), start, outcome);
    require(outcome instanceof ForceReleaseOutcome.Removed, "a lock cannot be removed", outcome);
  }

  private void forget(int name) {
    begin(Operation.Kind.FORGET, name, FencingToken.NONE, false);
    if (store.forget(leaseName(name), Duration.ZERO)) {
      answers.forgot(operator.operation());
    }
  }

  private boolean isFrozen(int name) {
    begin(Operation.Kind.LOOK, name, FencingToken.NONE, false);
    return !(store.freezeState(leaseName(name)) instanceof FreezeState.None);
  }

  private void unfreeze(int name) {
    boolean wasFrozen = isFrozen(name);
    AnswerChecker.Start start = begin(Operation.Kind.UNFREEZE, name, FencingToken.NONE, false);
    UnfreezeOutcome outcome = store.unfreeze(leaseName(name));
    answers.unfroze(operator.operation(), start, outcome);
    require(wasFrozen == outcome instanceof UnfreezeOutcome.Unfrozen, "a freeze cannot be lifted", outcome);
    require(!isFrozen(name), "a freeze that was lifted stands", name);
  }

  private LeaseState.State look(int name) {
    AnswerChecker.Start start = begin(Operation.Kind.LOOK, name, FencingToken.NONE, false);
    LockView view = store.view(leaseName(name));
    schedule.trace().add("operator", "sees", view);
    answers.looked(operator.operation(), start, view);
    return view.state();
  }

  private AnswerChecker.Start begin(Operation.Kind kind, int name, FencingToken token, boolean force) {
    operator.begin(new Operation(kind, operator.number(), name,
        new Operation.Claim(OWNER, token, true), force));
    return answers.start(name);
  }

  private static LeaseName leaseName(int name) {
    return new LeaseName(Schedule.nameOf(name));
  }

  private void require(boolean kept, String what, Object detail) {
    schedule.checker().require(kept, "I7", what, detail);
  }
}
