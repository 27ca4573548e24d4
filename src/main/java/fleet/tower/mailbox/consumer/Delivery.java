package fleet.tower.mailbox.consumer;

import static java.util.Objects.requireNonNull;

import fleet.tower.lease.keepalive.ProgressSignal;
import fleet.tower.mailbox.Message;
import fleet.tower.platform.wait.Cancellation;

/**
 * A message in the hands of a worker.
 *
 * @param heartbeat to be beaten while the work gets on: that keeps the message, and shows that the worker is not stuck
 * @param lost cancelled when the message is known to be another's: the work on it has to stop
 * @param dismissal cancelled when the crew was told to go: what has begun may be finished, what has not is better given back
 */
public record Delivery(Message.Delivery delivery, ProgressSignal heartbeat, Cancellation lost, Cancellation dismissal) {
  public Delivery {
    requireNonNull(delivery);
    requireNonNull(heartbeat);
    requireNonNull(lost);
    requireNonNull(dismissal);
  }
}
