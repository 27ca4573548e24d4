package fleet.tower.cli.mailbox;

import static fleet.tower.cli.mailbox.MailboxOptions.MAILBOX;
import static fleet.tower.cli.mailbox.MailboxOptions.mailbox;
import static fleet.tower.cli.shell.Option.flag;
import static fleet.tower.cli.shell.Option.value;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;

import fleet.tower.answer.MailboxJson;
import fleet.tower.answer.Reply;
import fleet.tower.answer.UsageError;
import fleet.tower.cli.shell.Arguments;
import fleet.tower.cli.shell.Command;
import fleet.tower.cli.shell.Option;
import fleet.tower.mailbox.MailboxCommand;
import fleet.tower.mailbox.MailboxName;
import fleet.tower.mailbox.MailboxStore;
import fleet.tower.mailbox.Message;
import fleet.tower.mailbox.MessageId;
import fleet.tower.platform.Exit;
import fleet.tower.platform.list.Rows;

/** {@code tower mailbox count|purge|dead}: commands about whole mailboxes. */
public final class MailboxQueries {
  private static final Option ACTOR = value("actor", "A", "the actor (default: TOWER_ACTOR, else the OS user)");
  private static final int DEFAULT_LIMIT = 100;
  private static final int MAX_LIMIT = 10_000;

  private final Function<Arguments, MailboxClient> clients;

  public MailboxQueries(Function<Arguments, MailboxClient> clients) {
    this.clients = clients;
  }

  /** The commands. */
  public List<Command> all() {
    return List.of(
        new Command("mailbox count", List.of("[MAILBOX]"), "count the messages of a mailbox, or of every mailbox",
            List.of(flag("names", "print only the names")), this::count),
        new Command("mailbox purge", List.of(MAILBOX),
            "delete all messages of a mailbox, leased ones too, but not its dead letters", List.of(ACTOR),
            this::purge),
        new Command("mailbox dead", List.of(MAILBOX, "[ID...]"),
            "list the dead letters of a mailbox, oldest first; or revive or purge them",
            List.of(flag("revive", "put all of them, or the named ones, back into the mailbox at their old places"),
                flag("purge", "delete them"), value("limit", "N", "show at most N (default 100)"), ACTOR),
            this::dead));
  }

  private Reply count(Arguments arguments) {
    try (MailboxClient client = clients.apply(arguments)) {
      if (arguments.optionalOperand(0).isPresent()) {
        MailboxStore.Count count = client.count(mailbox(arguments));
        return counted(Reply.lazily(Exit.DONE, () -> MailboxJson.count(count)), List.of(count), arguments);
      }
      List<MailboxStore.Count> counts = client.counts();
      Reply reply = Reply.lazily(Exit.DONE, () -> MailboxJson.counts(counts));
      return counts.isEmpty() && !arguments.has("names")
          ? reply.data("no mailboxes")
          : counted(reply, counts, arguments);
    }
  }

  private static Reply counted(Reply reply, List<MailboxStore.Count> counts, Arguments arguments) {
    if (arguments.has("names")) {
      counts.forEach(count -> reply.data(count.mailbox().value()));
    } else {
      MailboxReplies.table(counts).forEach(reply::data);
    }
    return reply;
  }

  private Reply purge(Arguments arguments) {
    MailboxName mailbox = mailbox(arguments);
    try (MailboxClient client = clients.apply(arguments)) {
      return MailboxReplies.purged(mailbox, client.purge(mailbox), "message");
    }
  }

  private Reply dead(Arguments arguments) {
    MailboxName mailbox = mailbox(arguments);
    if (arguments.has("revive") && arguments.has("purge")) {
      throw new UsageError("--revive and --purge exclude each other; give only one");
    }
    if (!arguments.has("revive") && arguments.optionalOperand(1).isPresent()) {
      throw new UsageError("'" + arguments.operand(1) + "' is one argument too many; only --revive takes message ids");
    }
    int limit = limit(arguments);
    try (MailboxClient client = clients.apply(arguments)) {
      if (arguments.has("revive")) {
        return MailboxReplies.reply(client.perform(new MailboxCommand.Revive(mailbox, ids(arguments))), mailbox);
      }
      return arguments.has("purge")
          ? MailboxReplies.purged(mailbox, client.purgeDead(mailbox), "dead letter")
          : list(client.dead(mailbox, limit), mailbox, limit);
    }
  }

  private static Set<MessageId> ids(Arguments arguments) {
    Set<MessageId> ids = new LinkedHashSet<>();
    arguments.operands().stream().skip(1).map(MessageId::new).forEach(ids::add);
    return ids;
  }

  private static Reply list(Rows<Message.DeadLetter> letters, MailboxName mailbox, int limit) {
    Reply reply = Reply.lazily(Exit.DONE, () -> MailboxJson.deadLetters(letters));
    if (letters.isEmpty()) {
      return reply.data("no dead letters");
    }
    MailboxReplies.deadTable(letters.rows()).forEach(reply::data);
    if (letters.isTruncated()) {
      return reply.words("there are more, but the list would be too large; revive or purge these first");
    }
    return letters.rows().size() < limit
        ? reply.words("once the cause is fixed: tower mailbox dead " + mailbox + " --revive")
        : reply.words("there may be more; use --limit N");
  }

  private static int limit(Arguments arguments) {
    long limit = arguments.number("limit").orElse((long) DEFAULT_LIMIT);
    if (limit < 1 || limit > MAX_LIMIT) {
      throw new UsageError("--limit must be 1 to " + MAX_LIMIT);
    }
    return (int) limit;
  }
}
