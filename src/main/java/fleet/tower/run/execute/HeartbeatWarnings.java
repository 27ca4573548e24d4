package fleet.tower.run.execute;

import java.util.function.Consumer;

import fleet.tower.lease.keepalive.RenewalListener;

/**
 * Decides which failures of heartbeats become warnings of a run: the first in a row, the third, and not so many that a store which
 * fails every other minute fills the record of a run that takes days.
 */
final class HeartbeatWarnings {
  static final int MOST = 20;

  private final Consumer<String> warn;
  private final Consumer<String> log;
  private int warned;
  private int failed;

  /**
   * Warnings for one run.
   *
   * @param warn warns those who watch the run, and the operator of this process
   * @param log tells the operator alone
   */
  HeartbeatWarnings(Consumer<String> warn, Consumer<String> log) {
    this.warn = warn;
    this.log = log;
  }

  synchronized void failed(int consecutiveFailures, String error) {
    if (consecutiveFailures == 1) {
      warn("the lock could not be renewed: " + error + "; trying again");
    } else {
      heldBack(consecutiveFailures, error);
    }
    failed = consecutiveFailures;
  }

  /** One interval without progress is nothing unusual. */
  synchronized void heldBack(int consecutiveFailures, String error) {
    if (consecutiveFailures == RenewalListener.FAILURES_TO_REPORT) {
      warn("the lock could not be renewed " + consecutiveFailures + " times in a row: " + error);
    }
  }

  synchronized void renewed() {
    if (failed > 0 && warned <= MOST) {
      log.accept("the lock was renewed again");
    }
    failed = 0;
  }

  private void warn(String warning) {
    warned++;
    if (warned <= MOST) {
      warn.accept(warning
          + (warned == MOST ? "; further failures are counted in heartbeat_failures and not told here" : ""));
    }
  }
}
