package fleet.tower.mailbox.consumer;

import fleet.tower.mailbox.Body;
import fleet.tower.mailbox.Visibility;

/** The result of handling a message. */
public sealed interface DeliveryResult {

  /** The message is done. */
  record Done() implements DeliveryResult {}

  /** The message is done, and this is the answer; it is dropped if the message has no reply address. */
  record Answered(Body answer) implements DeliveryResult {}

  /** The message is tried again after a delay. */
  record Later(Visibility delay, String why) implements DeliveryResult {}

  /** Another try would not help: the message becomes a dead letter. */
  record Never(String why) implements DeliveryResult {}
}
