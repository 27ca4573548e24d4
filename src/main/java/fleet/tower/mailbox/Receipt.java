package fleet.tower.mailbox;

import static java.util.Objects.requireNonNull;

import fleet.tower.lease.RequestId;
import fleet.tower.platform.InvalidValue;

/**
 * The right to one delivery of one message: whoever shows it while the lease runs is the worker who has the message. No two
 * deliveries have the same.
 *
 * @param delivery made for one receive, and never used for another
 */
public record Receipt(MessageId message, RequestId delivery) {
  /** In neither of the two, so that a handle is read in one way only. */
  private static final char SEPARATOR = '/';

  public Receipt {
    requireNonNull(message);
    requireNonNull(delivery);
  }

  /** Reads {@link #handle}. */
  public static Receipt of(String handle) {
    int separator = handle.indexOf(SEPARATOR);
    if (separator < 0 || !RequestId.isValid(handle.substring(0, separator))
        || !RequestId.isValid(handle.substring(separator + 1))) {
      throw new InvalidValue(InvalidValue.Kind.REQUEST, "receipt handle " + InvalidValue.shown(handle)
          + " is none; give the receipt_handle that the message was received with, whole");
    }
    return new Receipt(new MessageId(handle.substring(0, separator)), new RequestId(handle.substring(separator + 1)));
  }

  /** The receipt as it is handed out. */
  public String handle() {
    return message.value() + SEPARATOR + delivery.value();
  }

  @Override
  public String toString() {
    return handle();
  }
}
