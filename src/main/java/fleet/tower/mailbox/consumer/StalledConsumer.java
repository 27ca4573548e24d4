package fleet.tower.mailbox.consumer;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import fleet.tower.mailbox.MessageId;

/**
 * A consumer that gave no sign of life for too long.
 *
 * @param worker its number, from 1 on
 * @param message the message that it works on; null for none
 */
public record StalledConsumer(int worker, Duration silence, @Nullable MessageId message) {

  @Override
  public String toString() {
    return "worker " + worker + " gave no sign of life for " + silence.toSeconds() + " s"
        + (message == null ? "" : ", at message " + message);
  }
}
