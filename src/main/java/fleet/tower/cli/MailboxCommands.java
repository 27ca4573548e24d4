package fleet.tower.cli;

import static fleet.tower.cli.shell.Option.flag;
import static fleet.tower.cli.shell.Option.value;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import java.util.stream.Stream;

import fleet.tower.answer.CommandLine;
import fleet.tower.answer.Reply;
import fleet.tower.answer.Table;
import fleet.tower.answer.UsageError;
import fleet.tower.cli.remote.Requests;
import fleet.tower.cli.shell.Arguments;
import fleet.tower.cli.shell.Command;
import fleet.tower.operation.Given;
import fleet.tower.operation.MailboxOperations;
import fleet.tower.operation.Operation;
import fleet.tower.platform.Exit;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonValue;
import fleet.tower.platform.list.Rows;

/** The commands about mailboxes and messages: what they print besides the sentences about what was done. */
public final class MailboxCommands {
  private static final int LONGEST_TEXT = 60;
  private static final String MAILBOX = "mailbox";
  private static final String DEAD = "dead";

  private final Requests requests;

  public MailboxCommands(Requests requests) {
    this.requests = requests;
  }

  /** The commands. */
  public List<Command> all() {
    List<Command> commands = new ArrayList<>(
        List.of(requests.command(MailboxOperations.SEND, (reply, data) -> reply.data(text(data, "id")))));
    commands.addAll(requests.commands(MailboxOperations.ACK, MailboxOperations.NACK, MailboxOperations.EXTEND));
    commands.addAll(List.of(
        requests.command(MailboxOperations.REPLY,
            (reply, data) -> reply.data(data.object("reply").map(sent -> text(sent, "id")).orElse(""))),
        requests.command(MailboxOperations.REJECT),
        requests.command(MailboxOperations.RECEIVE, MailboxCommands::received),
        new Command(MailboxOperations.LIST.words(), List.of("[MAILBOX]"),
            "count the messages of a mailbox, or of every mailbox",
            List.of(flag("names", "print only the names")), this::count),
        requests.command(MailboxOperations.PURGE, number("purged")),
        new Command(MailboxOperations.DEAD.words(), List.of("MAILBOX", "[ID...]"),
            "list the dead letters of a mailbox, oldest first; or revive or purge them",
            List.of(flag("revive", "put all of them, or the named ones, back into the mailbox at their old places"),
                flag("purge", "delete them"), value("limit", "N", "show at most N (default 100)"), Requests.ACTOR),
            this::dead)));
    return commands;
  }

  private static BiFunction<Reply, JsonObject, Reply> number(String member) {
    return (reply, data) -> reply.data(text(data, member));
  }

  /** One line per message: the receipt, a space, the body. Scripts see by the exit code that there is none. */
  private static Reply received(Reply reply, JsonObject data) {
    List<JsonObject> messages = data.objects("messages");
    messages.forEach(message -> reply.data(text(message, "receipt_handle") + " "
        + message.text("body").orElseGet(() -> text(message, "body").replace('\n', ' ').replace('\r', ' '))));
    return messages.isEmpty() ? reply.ending(Exit.NOT_FOUND) : reply;
  }

  private Reply count(Arguments arguments) {
    Operation operation = arguments.optionalOperand(0).isPresent() ? MailboxOperations.VIEW : MailboxOperations.LIST;
    return requests.reply(operation, arguments, (reply, data) -> counted(reply,
        operation.equals(MailboxOperations.VIEW) ? List.of(data) : data.objects("mailboxes"), arguments.has("names")));
  }

  private static Reply counted(Reply reply, List<JsonObject> counts, boolean onlyNames) {
    if (onlyNames) {
      counts.forEach(count -> reply.data(text(count, MAILBOX)));
      return reply;
    }
    return counts.isEmpty()
        ? reply.data("no mailboxes")
        : table(reply, List.of("MAILBOX", "MESSAGES", "READY", "LEASED", "DELAYED", "DEAD"), counts.stream()
            .map(count -> Stream.of(MAILBOX, "messages", "ready", "leased", "delayed", DEAD)
                .map(member -> text(count, member)).toList())
            .toList());
  }

  private Reply dead(Arguments arguments) {
    if (arguments.has("revive") && arguments.has("purge")) {
      throw new UsageError("--revive and --purge exclude each other; give only one");
    }
    if (arguments.has("revive")) {
      return requests.reply(MailboxOperations.REVIVE, arguments, number("revived"));
    }
    if (arguments.optionalOperand(1).isPresent()) {
      throw new UsageError("'" + arguments.operand(1) + "' is one argument too many; only --revive takes message ids");
    }
    if (arguments.has("purge")) {
      return requests.reply(MailboxOperations.PURGE_DEAD, arguments, number("purged"));
    }
    long limit = requests.given(MailboxOperations.DEAD, arguments).get(MailboxOperations.LIMIT);
    return requests.reply(MailboxOperations.DEAD, arguments, (reply, data) -> letters(reply, data, limit));
  }

  private static Reply letters(Reply reply, JsonObject data, long limit) {
    Rows<JsonObject> letters = Rows.read(data, "dead_letters", letter -> letter);
    if (letters.isEmpty()) {
      return reply.data("no dead letters");
    }
    table(reply, List.of("MESSAGE", "CAUSE", "DELIVERIES", "DEAD SINCE", "LAST ERROR", "BODY"),
        letters.rows().stream().map(MailboxCommands::row).toList());
    if (letters.isTruncated()) {
      return reply.words("there are more, but the list would be too large; revive or purge these first");
    }
    return letters.rows().size() < limit
        ? reply.words("once the cause is fixed: " + CommandLine.of(MailboxOperations.DEAD,
            Given.NOTHING.with(MailboxOperations.MAILBOX, text(letters.rows().getFirst(), MAILBOX))) + " --revive")
        : reply.words("there may be more; use --limit N");
  }

  /** The body of an unreadable letter is its stored text. */
  private static List<String> row(JsonObject letter) {
    JsonValue body = letter.get("body");
    boolean isReadable = !text(letter, "cause").equals("unreadable");
    return List.of(text(letter, "id"), text(letter, "cause"), text(letter, "delivery_count"),
        text(letter, "dead_lettered_at"), brief(letter.text("last_error").orElse("")),
        brief(isReadable && body != null ? letter.raw(body) : text(letter, "body")));
  }

  private static String brief(String text) {
    String line = text.replaceAll("\\s+", " ");
    return line.length() <= LONGEST_TEXT ? line : line.substring(0, LONGEST_TEXT - 1) + "…";
  }

  private static Reply table(Reply reply, List<String> head, List<List<String>> rows) {
    List<List<String>> lines = new ArrayList<>(List.of(head));
    lines.addAll(rows);
    Table.lines(lines).forEach(reply::data);
    return reply;
  }

  /** A text, or the JSON of another value. */
  private static String text(JsonObject json, String member) {
    JsonValue value = json.get(member);
    return value == null ? "" : json.text(member).orElseGet(() -> json.raw(value));
  }
}
