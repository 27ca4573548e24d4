package fleet.tower.mailbox.consumer;

import java.time.Duration;

import fleet.tower.lease.keepalive.LeaseExtender;
import fleet.tower.mailbox.MailboxCommand;
import fleet.tower.platform.InvalidValue;

/**
 * The settings of a group of consumers. Settings are rejected if a healthy worker would seem stalled, or would lose its
 * messages.
 *
 * @param workers the number of concurrent workers
 *
 * @param receive each worker's receive command
 *
 * @param patience how long a worker waits for a message at a time
 *
 * @param stalledAfter a worker without progress for longer counts as stalled
 *
 * @param extension how leases are extended while their workers make progress
 */
public record ConsumerSettings(int workers, MailboxCommand.Receive receive, Duration patience, Duration stalledAfter,
    LeaseExtender.Settings extension) {
  public static final int MAX_WORKERS = 64;

  public ConsumerSettings {
    require(workers >= 1 && workers <= MAX_WORKERS, workers + " workers are outside 1 to " + MAX_WORKERS);
    require(stalledAfter.compareTo(patience) > 0,
        "a worker that waits " + patience.toSeconds() + " s for a message would count as stalled after "
            + stalledAfter.toSeconds() + " s; shorten the wait, or raise the limit");
    require(!extension.enabled() || receive.visibility().seconds() > extension.interval().toSeconds(),
        "a message that is leased for " + receive.visibility().seconds() + " s would expire before its first extension"
            + " after " + extension.interval().toSeconds() + " s; lengthen the lease, or extend it sooner");
  }

  private static void require(boolean isSound, String problem) {
    if (!isSound) {
      throw new InvalidValue(InvalidValue.Kind.REQUEST, problem);
    }
  }
}
