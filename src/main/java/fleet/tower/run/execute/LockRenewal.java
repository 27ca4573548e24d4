package fleet.tower.run.execute;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;

import fleet.tower.intent.Controls;
import fleet.tower.lease.FencingToken;
import fleet.tower.lease.HeldLease;
import fleet.tower.lease.LeaseTerm;
import fleet.tower.lease.keepalive.HeartbeatCounts;
import fleet.tower.lease.keepalive.LeaseRenewer;
import fleet.tower.lease.keepalive.ProgressSignal;
import fleet.tower.lease.keepalive.Renewal;
import fleet.tower.lease.keepalive.RenewalListener;
import fleet.tower.lock.Locks;
import fleet.tower.platform.StorageException;

/**
 * The renewal of one run's lock, from its first step to its release. Failures become warnings of the run; a lock that
 * is lost or in doubt becomes a signal for the thread that performs the steps.
 */
final class LockRenewal {
  private final RunContext context;
  private final FencingToken token;
  private final HeartbeatWarnings warnings;
  private final AtomicBoolean isHeldBack = new AtomicBoolean();
  private final Renewal renewal;
  private final LeaseRenewer renewer;

  LockRenewal(RunContext context, HeldLease lease) {
    this.context = context;
    this.token = lease.lease().token();
    this.warnings = new HeartbeatWarnings(context::warnAtOnce, context::warn, context::log);
    boolean needsProgress = context.prepared().intent().controls().heartbeat() == Controls.Heartbeat.PROGRESS;
    Locks locks = context.services().locks();
    this.renewal = locks.renewal(context.actor(), lease.lease());
    this.renewer = context.services().renewers().keep(lease,
        needsProgress ? context.progress().proving(renewal) : renewal,
        locks.recording(context.actor(), lease.lease(), new Listener()));
    if (needsProgress) {
      ProgressSignal.Listening _ = context.progress().signal().onBeat(this::renewIfHeldBack);
    }
  }

  /** A lock whose renewal was held back is old when the work makes progress again, so it is renewed at once. */
  private void renewIfHeldBack() {
    if (isHeldBack.compareAndSet(true, false)) {
      context.services().scheduler().after(Duration.ZERO, renewer::renew);
    }
  }

  private final class Listener implements RenewalListener {
    @Override
    public void renewed(LeaseTerm renewed) {
      isHeldBack.set(false);
      context.live().beat(renewed.lastHeartbeatAt());
      warnings.renewed();
    }

    @Override
    public void failed(int consecutiveFailures, String error) {
      count(consecutiveFailures, error);
      warnings.failed(consecutiveFailures, error);
    }

    @Override
    public void unreachable(int consecutiveFailures, String error) {
      count(consecutiveFailures, error);
      warnings.unreachable(consecutiveFailures, error);
    }

    @Override
    public void withheld(int consecutiveFailures, String error) {
      isHeldBack.set(true);
      count(consecutiveFailures, error);
      warnings.heldBack(consecutiveFailures, error);
    }

    private void count(int consecutiveFailures, String error) {
      context.live().beatFailed(new RunHandle.HeartbeatFailure(context.services().time().now(), consecutiveFailures,
          context.prepared().secrets().mask(error)));
    }

    @Override
    public void doubted(LeaseTerm doubted, HeartbeatCounts counts) {
      context.inbox().put(new RunSignal.LockDoubted(doubted, counts));
    }

    @Override
    public void lost(Renewal.Lost loss) {
      context.inbox().put(new RunSignal.LockLost());
    }
  }

  FencingToken token() {
    return token;
  }

  /**
   * Whether the lock is certainly held now. A lock past its deadline is renewed first, and so is one that is no longer
   * in place, which finds and reports the loss.
   */
  boolean confirm() {
    return isInPlace() ? renewer.confirm() : renewer.renew();
  }

  private boolean isInPlace() {
    try {
      return renewal.look().isEmpty();
    } catch (StorageException unknown) {
      return true;
    }
  }

  boolean renew() {
    return renewer.renew();
  }

  boolean isLost() {
    return renewer.isLost();
  }

  /** How long a process may take to end, so that it has ended before the lease expires. */
  Duration graceWithin(LeaseTerm doubted, Duration most) {
    return context.services().renewers().graceWithin(doubted, most);
  }

  /** Audits the failures of a lock that the run continues without. */
  void reportFailures(HeartbeatCounts counts) {
    renewer.reportFailures(counts);
  }

  /** Audits the failures of a lock that the run is stopped for. */
  void giveUp(HeartbeatCounts counts) {
    renewer.giveUp(counts);
  }

  void stop() {
    renewer.stop();
  }
}
