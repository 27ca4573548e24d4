package fleet.tower.mailbox;

import java.time.Duration;

/** The mailboxes of one test; empty at first. */
public interface TestMailboxes extends AutoCloseable {

  /** One more store here, as another process has it; closed with the place. */
  default MailboxStore open() {
    return open(MailboxStore.Bounds.NONE);
  }

  /** The same with bounds. */
  MailboxStore open(MailboxStore.Bounds bounds);

  /** Lets time pass for all that is stored, by every clock. */
  void pass(Duration duration);

  /** Changes stored data without the store. */
  void change(String sql);

  @Override
  void close();
}
