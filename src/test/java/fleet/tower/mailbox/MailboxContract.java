package fleet.tower.mailbox;

import java.time.Duration;

import org.junit.jupiter.api.AfterEach;

import fleet.tower.mailbox.MailboxOutcome.OldReceipt;
import fleet.tower.mailbox.MailboxOutcome.Reason;

/** The base of all mailbox contracts: a database with one open store. */
abstract class MailboxContract {
  final TestMailboxes place;
  final MailboxStore store;
  final MailboxWork work;

  MailboxContract(TestMailboxes place) {
    this.place = place;
    this.store = place.open();
    this.work = new MailboxWork(store);
  }

  @AfterEach
  void close() {
    place.close();
  }

  final void pass(long seconds) {
    place.pass(Duration.ofSeconds(seconds));
  }

  static OldReceipt old(Message.Delivery delivery, Reason reason) {
    return new OldReceipt(delivery.receipt(), reason);
  }
}
