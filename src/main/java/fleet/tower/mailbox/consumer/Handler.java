package fleet.tower.mailbox.consumer;

/** Does what a message asks for. One that throws has failed, and its message is tried again after a pause. */
@FunctionalInterface
public interface Handler {

  /** Returns when nothing more will be done for the message. A thread of its own calls it. */
  DeliveryResult handle(Delivery job);
}
