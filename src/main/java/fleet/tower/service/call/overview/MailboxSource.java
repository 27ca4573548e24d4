package fleet.tower.service.call.overview;

import java.util.List;

import fleet.tower.mailbox.MailboxStore;
import fleet.tower.mailbox.Mailboxes;
import fleet.tower.platform.json.JsonWriter;

/** The numbers of messages of the mailboxes. */
final class MailboxSource implements OverviewSource {
  private static final String MAILBOXES = "mailboxes";

  private final Mailboxes mailboxes;

  MailboxSource(Mailboxes mailboxes) {
    this.mailboxes = mailboxes;
  }

  @Override
  public List<String> sections() {
    return List.of(MAILBOXES);
  }

  @Override
  public Rows read() {
    Builder rows = Rows.of(sections());
    for (MailboxStore.Count count : mailboxes.counts()) {
      String name = count.mailbox().value();
      rows.put(MAILBOXES, name, JsonWriter.line().put("name", name).put("ready", count.ready())
          .put("leased", count.leased()).put("delayed", count.delayed()).put("dead", count.dead()));
    }
    return rows.build();
  }
}
