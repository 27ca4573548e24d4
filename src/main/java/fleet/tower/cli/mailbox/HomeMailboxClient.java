package fleet.tower.cli.mailbox;

import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import fleet.tower.answer.MailboxJson;
import fleet.tower.lease.Actor;
import fleet.tower.mailbox.MailboxCommand;
import fleet.tower.mailbox.MailboxName;
import fleet.tower.mailbox.MailboxOutcome;
import fleet.tower.mailbox.MailboxStore;
import fleet.tower.mailbox.Mailboxes;
import fleet.tower.mailbox.Message;
import fleet.tower.platform.list.Rows;
import fleet.tower.platform.time.Cancellation;

/** The mailboxes of a home, in its database. */
public final class HomeMailboxClient implements MailboxClient {
  private final Supplier<Mailboxes> opening;
  private final Actor actor;
  private @Nullable Mailboxes opened;

  /**
   * @param opening opens the database on first use
   * @param actor the caller, for the audit log
   */
  public HomeMailboxClient(Supplier<Mailboxes> opening, Actor actor) {
    this.opening = opening;
    this.actor = actor;
  }

  private synchronized Mailboxes mailboxes() {
    if (opened == null) {
      opened = opening.get();
    }
    return opened;
  }

  @Override
  public MailboxOutcome perform(MailboxCommand command) {
    return switch (command) {
      case MailboxCommand.Send send -> mailboxes().send(send);
      case MailboxCommand.Receive receive -> mailboxes().receive(receive);
      case MailboxCommand.Ack ack -> mailboxes().ack(ack);
      case MailboxCommand.Nack nack -> mailboxes().nack(nack);
      case MailboxCommand.Reject reject -> mailboxes().reject(reject, actor);
      case MailboxCommand.Extend extend -> mailboxes().extend(extend);
      case MailboxCommand.Reply reply -> mailboxes().reply(reply);
      case MailboxCommand.Revive revive -> mailboxes().revive(revive, actor);
    };
  }

  @Override
  public MailboxOutcome.Received receive(MailboxCommand.Receive command, Duration wait, Cancellation cancellation) {
    return mailboxes().receive(command, wait, cancellation, () -> true);
  }

  @Override
  public MailboxStore.Count count(MailboxName mailbox) {
    return mailboxes().count(mailbox);
  }

  @Override
  public List<MailboxStore.Count> counts() {
    return mailboxes().counts();
  }

  @Override
  public Rows<Message.DeadLetter> dead(MailboxName mailbox, int limit) {
    return Rows.collect(MailboxJson::deadLetter, reader -> mailboxes().dead(mailbox, limit, reader));
  }

  @Override
  public long purge(MailboxName mailbox) {
    return mailboxes().purge(mailbox, actor);
  }

  @Override
  public long purgeDead(MailboxName mailbox) {
    return mailboxes().purgeDead(mailbox, actor);
  }

  @Override
  public synchronized void close() {
    if (opened != null) {
      opened.close();
    }
  }
}
