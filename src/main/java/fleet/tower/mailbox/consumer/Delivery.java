package fleet.tower.mailbox.consumer;

import fleet.tower.lease.keepalive.ProgressSignal;
import fleet.tower.mailbox.Message;
import fleet.tower.platform.time.Cancellation;

/**
 * A message that a consumer works on.
 *
 * @param heartbeat beats when the work makes progress: that keeps the message, and shows that the consumer is not stuck
 * @param lost cancelled when the message is known to be lost to another consumer: the work on it must stop
 * @param stop cancelled when the consumers are stopped: work that has started may finish, other work should be returned
 */
public record Delivery(Message.Delivery delivery, ProgressSignal heartbeat, Cancellation lost,
    Cancellation stop) {}
