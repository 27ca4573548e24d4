package fleet.tower.mailbox.consumer;

import static java.util.Objects.requireNonNull;

import java.time.Duration;

import fleet.tower.lease.keepalive.LeaseExtender;
import fleet.tower.mailbox.MailboxCommand;
import fleet.tower.platform.InvalidValue;

/**
 * On what terms a crew works. Terms by which a sound worker would seem stalled, or would lose what it has, are refused.
 *
 * @param workers so many at the same time
 * @param receive how each asks for messages
 * @param patience how long each waits for a message at a time
 * @param stalledAfter without a sign of life for so long, a worker counts as stalled
 * @param extension how messages are kept while their workers get on
 */
public record ConsumerSettings(int workers, MailboxCommand.Receive receive, Duration patience, Duration stalledAfter,
    LeaseExtender.Settings extension) {
  public static final int MAX_WORKERS = 64;

  public ConsumerSettings {
    requireNonNull(receive);
    requireNonNull(patience);
    requireNonNull(stalledAfter);
    requireNonNull(extension);
    require(workers >= 1 && workers <= MAX_WORKERS, workers + " workers are outside 1 to " + MAX_WORKERS);
    require(stalledAfter.compareTo(patience) > 0,
        "a worker that waits " + patience.toSeconds() + " s for a message would count as stalled after "
            + stalledAfter.toSeconds() + " s; make the wait shorter, or be more patient");
    require(!extension.enabled() || receive.visibility().seconds() > extension.interval().toSeconds(),
        "a message that is lent for " + receive.visibility().seconds() + " s would be lost before it is extended after "
            + extension.interval().toSeconds() + " s; lend it for longer, or extend it sooner");
  }

  private static void require(boolean isSound, String problem) {
    if (!isSound) {
      throw new InvalidValue(InvalidValue.Kind.REQUEST, problem);
    }
  }
}
