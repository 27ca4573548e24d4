package fleet.tower.mailbox.consumer;

/** Handles deliveries. If it throws, the delivery has failed, and the message is retried after a delay. */
@FunctionalInterface
public interface Handler {

  /** Returns when the work on the message is finished. Called on a worker's own thread. */
  DeliveryResult handle(Delivery delivery);
}
