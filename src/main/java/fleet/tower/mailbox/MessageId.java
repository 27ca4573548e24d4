package fleet.tower.mailbox;

import static java.util.Objects.requireNonNull;

import fleet.tower.lease.RequestId;
import fleet.tower.platform.InvalidValue;

/** Identifies a message among all of a database. */
public record MessageId(String value) {
  public MessageId {
    requireNonNull(value);
    if (!RequestId.isValid(value)) {
      throw new InvalidValue(InvalidValue.Kind.REQUEST, "message id " + InvalidValue.shown(value)
          + " is not 1 to 128 of A-Z a-z 0-9 . _ : - beginning with a letter or digit");
    }
  }

  /** An id that no other message has, made of a request id that nobody else has. */
  public static MessageId fresh(RequestId random) {
    return new MessageId("msg_" + random.value().replaceFirst("^req_", ""));
  }

  @Override
  public String toString() {
    return value;
  }
}
