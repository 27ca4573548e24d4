package fleet.tower.mailbox;

import static java.util.Objects.requireNonNull;

import fleet.tower.lease.LeaseName;
import fleet.tower.platform.InvalidValue;

/** What a mailbox is called, by the same rule as a lock; a mailbox is there when something is sent to it. */
public record MailboxName(String value) implements Comparable<MailboxName> {
  public MailboxName {
    requireNonNull(value);
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
