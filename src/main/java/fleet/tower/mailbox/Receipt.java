package fleet.tower.mailbox;

import fleet.tower.lease.RequestId;
import fleet.tower.platform.InvalidValue;

/**
 * Proof of one delivery of one message: the worker that presents it while the lease runs holds the message. No two
 * deliveries share one.
 *
 * @param delivery generated for one receive, and never reused
 */
public record Receipt(MessageId message, RequestId delivery) {
  /** Occurs in neither part, so that a handle is unambiguous. */
  private static final char SEPARATOR = '/';

  /** Parses {@link #handle}. */
  public static Receipt of(String handle) {
    int separator = handle.indexOf(SEPARATOR);
    if (separator < 0 || !RequestId.isValid(handle.substring(0, separator))
        || !RequestId.isValid(handle.substring(separator + 1))) {
      throw new InvalidValue(InvalidValue.Kind.REQUEST, "receipt handle " + InvalidValue.shown(handle)
          + " is malformed; pass the complete receipt_handle of the received message");
    }
    return new Receipt(new MessageId(handle.substring(0, separator)), new RequestId(handle.substring(separator + 1)));
  }

  /** The receipt as a string for clients. */
  public String handle() {
    return message.value() + SEPARATOR + delivery.value();
  }

  @Override
  public String toString() {
    return handle();
  }
}
