package fleet.tower.mailbox;

import fleet.tower.lease.RequestId;
import fleet.tower.platform.InvalidValue;

/** The id of a message, unique in its database. */
public record MessageId(String value) {
  public MessageId {
    if (!RequestId.isValid(value)) {
      throw new InvalidValue(InvalidValue.Kind.REQUEST, "message id " + InvalidValue.shown(value)
          + " must have 1 to 128 characters of A-Z a-z 0-9 . _ : - and begin with a letter or digit");
    }
  }

  /** A new message id, derived from a unique request id. */
  public static MessageId fresh(RequestId random) {
    return new MessageId("msg_" + random.value().replaceFirst("^req_", ""));
  }

  @Override
  public String toString() {
    return value;
  }
}
