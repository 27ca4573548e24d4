package fleet.tower.mailbox.consumer;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import fleet.tower.mailbox.MessageId;

/**
 * A consumer that has shown no progress for too long.
 *
 * @param worker its number, starting at 1
 * @param message its current message; null for none
 */
public record StalledConsumer(int worker, Duration silence, @Nullable MessageId message) {

  @Override
  public String toString() {
    return "worker " + worker + " has shown no progress for " + silence.toSeconds() + " s"
        + (message == null ? "" : ", working on message " + message);
  }
}
