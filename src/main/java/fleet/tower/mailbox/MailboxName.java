package fleet.tower.mailbox;

import fleet.tower.lease.LeaseName;
import fleet.tower.platform.InvalidValue;

/** The name of a mailbox; the syntax is that of a lock name. A mailbox exists once a message is sent to it. */
public record MailboxName(String value) implements Comparable<MailboxName> {
  public MailboxName {
    if (!LeaseName.isValid(value)) {
      throw new InvalidValue(InvalidValue.Kind.REQUEST, "mailbox name " + LeaseName.complaint(value));
    }
  }

  @Override
  public int compareTo(MailboxName other) {
    return value.compareTo(other.value);
  }

  @Override
  public String toString() {
    return value;
  }
}
