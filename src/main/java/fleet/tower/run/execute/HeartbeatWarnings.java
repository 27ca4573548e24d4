package fleet.tower.run.execute;

import java.util.function.Consumer;

import fleet.tower.lease.keepalive.RenewalListener;

/**
 * The warnings of one run about failed heartbeats: the first failure in a row, and the third. Their number is limited,
 * so that a store that fails every other minute does not fill the record of a run that takes days.
 */
final class HeartbeatWarnings {
  static final int MOST = 20;

  private final Consumer<String> warn;
  private final Consumer<String> warnWatchers;
  private final Consumer<String> log;
  private int warned;
  private int failed;

  /**
   * @param warn receives warnings for the watchers of the run and the operator of this process
   * @param warnWatchers receives warnings of an outage, which is reported to the operator once for the process
   * @param log receives messages for the operator alone
   */
  HeartbeatWarnings(Consumer<String> warn, Consumer<String> warnWatchers, Consumer<String> log) {
    this.warn = warn;
    this.warnWatchers = warnWatchers;
    this.log = log;
  }

  synchronized void failed(int consecutiveFailures, String error) {
    failed(consecutiveFailures, error, warn);
    failed = consecutiveFailures;
  }

  /** A failure in an outage that is reported to the operator already. */
  synchronized void unreachable(int consecutiveFailures, String error) {
    failed(consecutiveFailures, error, warnWatchers);
  }

  private void failed(int consecutiveFailures, String error, Consumer<String> to) {
    if (consecutiveFailures == 1) {
      warn("the lock was not renewed: " + error + "; trying again", to);
    } else {
      heldBack(consecutiveFailures, error, to);
    }
  }

  /** A single interval without progress is normal, so there is no warning. */
  synchronized void heldBack(int consecutiveFailures, String error) {
    heldBack(consecutiveFailures, error, warn);
  }

  private void heldBack(int consecutiveFailures, String error, Consumer<String> to) {
    if (consecutiveFailures == RenewalListener.FAILURES_TO_REPORT) {
      warn("the lock could not be renewed " + consecutiveFailures + " times in a row: " + error, to);
    }
  }

  synchronized void renewed() {
    if (failed > 0 && warned <= MOST) {
      log.accept("the lock was renewed again");
    }
    failed = 0;
  }

  private void warn(String warning, Consumer<String> to) {
    warned++;
    if (warned <= MOST) {
      to.accept(warning
          + (warned == MOST ? "; further failures are only counted, in heartbeat_failures" : ""));
    }
  }
}
