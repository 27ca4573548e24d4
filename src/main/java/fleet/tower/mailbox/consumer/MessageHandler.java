package fleet.tower.mailbox.consumer;

import fleet.tower.lease.keepalive.ProgressSignal;
import fleet.tower.mailbox.Message;
import fleet.tower.mailbox.MessageBody;
import fleet.tower.mailbox.Visibility;
import fleet.tower.platform.time.Cancellation;

/** Handles messages. If it throws, its message is tried again after a pause. */
@FunctionalInterface
public interface MessageHandler {

  /** Handles one message to the end. Each consumer calls it on its own thread. */
  Result handle(Job job);

  /**
   * A message that a consumer works on.
   *
   * @param heartbeat beats when the work makes progress: that keeps the message, and shows that the consumer is not stuck
   * @param lost cancelled when the message is known to be lost to another consumer: the work on it must stop
   * @param stop cancelled when the consumers are stopped: work that has started may finish, other work should be returned
   */
  record Job(Message.Delivery delivery, ProgressSignal heartbeat, Cancellation lost,
      Cancellation stop) {}

  /** The result of handling a message. */
  sealed interface Result {

    /** The message is done. */
    record Done() implements Result {}

    /** The message is done, and this is the answer; it is dropped if the message has no reply address. */
    record Answered(MessageBody answer) implements Result {}

    /** The message is tried again after a delay. */
    record Later(Visibility delay, String why) implements Result {}

    /** Another try would not help: the message becomes a dead letter. */
    record Never(String why) implements Result {}
  }
}
