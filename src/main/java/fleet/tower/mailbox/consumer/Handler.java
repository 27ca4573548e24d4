package fleet.tower.mailbox.consumer;

/** Handles messages. If it throws, its message is tried again after a pause. */
@FunctionalInterface
public interface Handler {

  /** Handles one message to the end. Each consumer calls it on its own thread. */
  DeliveryResult handle(Delivery job);
}
