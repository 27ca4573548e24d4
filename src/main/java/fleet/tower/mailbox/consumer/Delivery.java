package fleet.tower.mailbox.consumer;

import fleet.tower.lease.keepalive.ProgressSignal;
import fleet.tower.mailbox.Message;
import fleet.tower.platform.wait.Cancellation;

/**
 * A message leased to a worker.
 *
 * @param heartbeat to be signalled while the work makes progress; keeps the lease, and shows that the worker is not
 * stuck
 *
 * @param lost cancelled when the lease is known to be lost: work must stop
 *
 * @param stop cancelled when the consumers are stopped: started work may be finished, the rest should be returned
 */
public record Delivery(Message.Delivery delivery, ProgressSignal heartbeat, Cancellation lost, Cancellation stop) {}
