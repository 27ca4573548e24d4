package fleet.tower.task.worker;

import java.util.OptionalLong;
import java.util.function.Supplier;

import fleet.tower.lease.LeaseTerm;
import fleet.tower.lease.Ttl;
import fleet.tower.lease.keepalive.LeaseRenewer;
import fleet.tower.lease.keepalive.LeaseRenewers;
import fleet.tower.lease.keepalive.ProgressSignal;
import fleet.tower.lease.keepalive.Renewal;
import fleet.tower.lease.keepalive.RenewalListener;
import fleet.tower.platform.time.TimeSource;
import fleet.tower.task.TaskCommand;

/**
 * Keeps one claim alive until it is stopped or the claim is lost. A claim is lost when the store reports it, and also
 * at its deadline: from then on another agent may have the task, whether or not the store can be reached. The ttl
 * counts from before a heartbeat was sent, so that the claim is given up no later than another agent may begin.
 */
final class ClaimRenewer {
  private final Claims claims;
  private final Claims.Claimed claimed;
  private final Ttl ttl;
  private final Supplier<TaskCommand.Call> calls;
  private final TimeSource time;
  private final LeaseRenewer renewer;
  private volatile Renewal renewal = this::heartbeat;
  private volatile boolean isSettled;

  /**
   * Starts the renewals.
   *
   * @param askedNanos when the claim was requested
   * @param onLost ends the work
   */
  ClaimRenewer(Claims claims, Claims.Claimed claimed, Ttl ttl, long askedNanos, Supplier<TaskCommand.Call> calls,
      TimeSource time, LeaseRenewers renewers, Worker.Listener listener, Runnable onLost) {
    this.claims = claims;
    this.claimed = claimed;
    this.ttl = ttl;
    this.calls = calls;
    this.time = time;
    this.renewer = renewers.keepUntilDeadline("task " + claimed.task(), term(askedNanos), () -> renewal.renew(),
        new Reports(listener, onLost));
  }

  private LeaseTerm term(long stampNanos) {
    return new LeaseTerm.Of(ttl.duration(), time.now(), stampNanos + ttl.duration().toNanos());
  }

  private Renewal.Result heartbeat() {
    long stamp = time.nanos();
    return switch (claims.perform(calls.get(),
        new TaskCommand.Heartbeat(claimed.task(), OptionalLong.of(claimed.attempt()), ttl))) {
      case DONE -> new Renewal.Renewed(term(stamp));
      case SETTLED -> {
        isSettled = true;
        yield new Renewal.Lost("the task is closed or released", null);
      }
      case LOST -> new Renewal.Lost("the claim has expired, or another agent has it", null);
    };
  }

  /** From now on renews only if the work has made progress since the last renewal; a stuck task is offered again. */
  void liveBy(ProgressSignal work) {
    renewal = work.proving(this::heartbeat, 0);
  }

  /** Renews now: this process may have been suspended. */
  void renew() {
    renewer.renew();
  }

  /** Ends the renewals and waits for one that is under way. */
  void stop() {
    renewer.stop();
  }

  /** Whether the claim is known to be lost. */
  boolean isLost() {
    return renewer.isLost() && !isSettled;
  }

  /** Reports failed renewals: the first and the third in a row, and each interval of work without progress. */
  private final class Reports implements RenewalListener {
    private final Worker.Listener listener;
    private final Runnable onLost;

    Reports(Worker.Listener listener, Runnable onLost) {
      this.listener = listener;
      this.onLost = onLost;
    }

    @Override
    public void failed(int consecutiveFailures, String error) {
      if (consecutiveFailures == 1 || consecutiveFailures == FAILURES_TO_REPORT) {
        listener.heartbeatFailed(claimed, consecutiveFailures, error);
      }
    }

    @Override
    public void withheld(int consecutiveFailures, String error) {
      listener.heartbeatFailed(claimed, consecutiveFailures, error);
    }

    @Override
    public void lost(Renewal.Lost loss) {
      if (!isSettled) {
        listener.lost(claimed);
        onLost.run();
      }
    }
  }
}
