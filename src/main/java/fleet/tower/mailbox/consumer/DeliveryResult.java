package fleet.tower.mailbox.consumer;

import fleet.tower.mailbox.Body;
import fleet.tower.mailbox.Visibility;

/** The result of a delivery. */
public sealed interface DeliveryResult {

  /** The message is done. */
  record Done() implements DeliveryResult {}

  /** The message is done, with a reply; the reply is dropped if the message has no reply address. */
  record Answered(Body answer) implements DeliveryResult {}

  /** The message must be retried, after a delay. */
  record Later(Visibility delay, String why) implements DeliveryResult {}

  /** A retry is pointless: the message becomes a dead letter. */
  record Never(String why) implements DeliveryResult {}
}
