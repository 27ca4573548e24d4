package fleet.tower.mailbox.consumer;

import java.time.Duration;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import fleet.tower.lease.keepalive.LeaseExtender;
import fleet.tower.mailbox.MailboxCommand;
import fleet.tower.platform.InvalidValue;

/**
 * How a group of consumers works. Settings under which a healthy consumer would seem stalled, or would lose its
 * message, are refused.
 *
 * @param workers the number of consumers
 * @param receive how each receives messages
 * @param selection the messages that they can process at a moment; null for all
 * @param patience how long each waits for a message at a time
 * @param stalledAfter the time without a sign of life after which a consumer counts as stalled
 * @param extension how messages are kept while the work on them makes progress
 */
public record ConsumerSettings(int workers, MailboxCommand.Receive receive,
    @Nullable Supplier<MailboxCommand.Selection> selection, Duration patience, Duration stalledAfter,
    LeaseExtender.Settings extension) {
  public static final int MAX_WORKERS = 64;

  public ConsumerSettings {
    require(workers >= 1 && workers <= MAX_WORKERS, workers + " workers are outside 1 to " + MAX_WORKERS);
    require(stalledAfter.compareTo(patience) > 0,
        "a worker that waits " + patience.toSeconds() + " s for a message would count as stalled after "
            + stalledAfter.toSeconds()
            + " s; shorten the wait, or raise the limit");
    require(!extension.enabled() || receive.visibility().seconds() > extension.interval().toSeconds(),
        "a message that is leased for " + receive.visibility().seconds() + " s would expire before its first extension"
            + " after " + extension.interval().toSeconds() + " s; lengthen the lease, or extend it sooner");
  }

  /** What a consumer receives now. */
  MailboxCommand.Receive receiveNow() {
    return selection == null ? receive : receive.selecting(selection.get());
  }

  private static void require(boolean isSound, String problem) {
    if (!isSound) {
      throw new InvalidValue(InvalidValue.Kind.REQUEST, problem);
    }
  }
}
