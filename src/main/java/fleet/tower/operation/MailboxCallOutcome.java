package fleet.tower.operation;

import java.util.List;
import java.util.function.Predicate;

import fleet.tower.lease.RequestId;
import fleet.tower.mailbox.MailboxCommand;
import fleet.tower.mailbox.MailboxName;
import fleet.tower.mailbox.MailboxOutcome;
import fleet.tower.mailbox.MailboxStore.Count;
import fleet.tower.mailbox.Message;

/** The outcome of a call about a mailbox or a message. */
public sealed interface MailboxCallOutcome extends Outcome {

  /** A command to a mailbox. */
  record Performed(MailboxCommand command, MailboxOutcome outcome) implements MailboxCallOutcome {}

  /** The end of a wait; {@code isWithdrawn} is false if the request did not wait. */
  record Withdrawn(MailboxName mailbox, RequestId by, boolean isWithdrawn) implements MailboxCallOutcome {}

  /** The numbers of messages of a mailbox; it exists as soon as it is named, and one without messages is empty. */
  record Counted(Count count) implements MailboxCallOutcome {}

  /** The numbers of messages of all mailboxes, by name. */
  record Listed(List<Count> counts) implements MailboxCallOutcome {
    public Listed {
      counts = List.copyOf(counts);
    }
  }

  /** The dead letters of a mailbox, oldest first. */
  record DeadLetters(Letters letters) implements MailboxCallOutcome {}

  /** Passes dead letters to a reader until it returns false. */
  @FunctionalInterface
  interface Letters {
    void read(Predicate<Message.DeadLetter> reader);
  }

  /** The deletion of that many messages, or dead letters. */
  record Purged(MailboxName mailbox, long messages) implements MailboxCallOutcome {}
}
