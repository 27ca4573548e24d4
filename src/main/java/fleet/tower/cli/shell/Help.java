package fleet.tower.cli.shell;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

import fleet.tower.answer.Reply;
import fleet.tower.cli.shell.CommandTable.Group;
import fleet.tower.platform.Exit;
import fleet.tower.platform.json.JsonWriter;

/** The help: the overview by subject, a page per command, and the topics of the manual. */
final class Help {
  private static final String DURATION = "D is a duration such as 90s, 15m, 8h or 2d; "
      + "a number without a unit is seconds.";
  private static final String REQUEST_ID = "R is a request id, 1 to 128 of A-Z a-z 0-9 . _ : - such as deploy-7. It "
      + "names a run or the owner of a lock, and its audit events; repeating a request with its id has no further effect.";
  private static final String REST = "Other";

  private final CommandTable table;
  private final Manual manual;

  Help(CommandTable table, Manual manual) {
    this.table = table;
    this.manual = manual;
  }

  /** All commands. */
  Reply overview(Exit exit) {
    JsonWriter json = JsonWriter.line()
        .list("commands", table.commands().stream().map(command -> json(command).end()).toList());
    if (!manual.topics().isEmpty()) {
      json.list("topics", manual.topics().stream()
          .map(topic -> JsonWriter.line().put("name", topic.name()).put("summary", topic.summary()).end()).toList());
    }
    Reply reply = Reply.of(exit, json).data("usage: tower COMMAND …").data("");
    List<Group> groups = inOrder(table.groups());
    int width = groups.stream().mapToInt(group -> group.word().length()).max().orElse(0);
    for (String title : titles(groups)) {
      if (!title.isEmpty()) {
        reply.data(title);
      }
      groups.stream().filter(group -> title(group).equals(title))
          .forEach(group -> reply.data("  " + padded(group.word(), width) + "  " + group.summary()));
      reply.data("");
    }
    reply.data("`tower COMMAND --help` shows details; every command takes --json.");
    manual.topics().forEach(topic -> reply.data("`tower help " + topic.name() + "` lists " + topic.summary() + "."));
    return reply;
  }

  /** The groups in the order of the manual, then those that it does not have. */
  private List<Group> inOrder(List<Group> groups) {
    List<String> words = manual.pages().map(page -> page.command().split(" ", 2)[0]).distinct().toList();
    return Stream.concat(
        words.stream().flatMap(word -> groups.stream().filter(group -> group.word().equals(word))),
        groups.stream().filter(group -> !words.contains(group.word()))).toList();
  }

  /** The subjects in the order of the manual, then the commands without one. */
  private List<String> titles(List<Group> groups) {
    List<String> used = groups.stream().map(this::title).distinct().toList();
    return Stream.concat(manual.subjects().stream().map(Manual.Subject::title), used.stream()).distinct()
        .filter(used::contains).toList();
  }

  private String title(Group group) {
    String title = manual.subject(group.members().getFirst());
    return title.isEmpty() && !manual.subjects().isEmpty() ? REST : title;
  }

  /** The commands of a group. */
  Reply group(Group group, Exit exit) {
    Reply reply = Reply
        .of(exit, JsonWriter.line().list("commands", group.members().stream().map(it -> json(it).end()).toList()))
        .data("usage: tower " + group.word() + " COMMAND …").data("");
    int width = group.seconds().stream().mapToInt(String::length).max().orElse(0);
    group.members().forEach(member -> reply.data(
        "  " + padded(member.name().substring(group.word().length() + 1), width) + "  " + member.summary()));
    return reply.data("")
        .data("`tower " + group.word() + " COMMAND --help` shows details; every command takes --json.");
  }

  /** The page of a command. */
  Reply command(Command command) {
    Reply reply = Reply.of(Exit.DONE, json(command));
    reply.data("usage: " + command.usage()).data("").data(command.summary()).data("");
    List<Option> options = options(command);
    int width = options.stream().mapToInt(option -> option.usage().length()).max().orElse(0);
    options.forEach(option -> reply.data("  " + padded(option.usage(), width) + "  " + option.summary()));
    List<String> rest = new ArrayList<>();
    if (options.stream().anyMatch(Option::takesDuration)) {
      rest.add(DURATION);
    }
    if (options.stream().anyMatch(Option::takesRequestId)) {
      rest.add(REQUEST_ID);
    }
    Manual.Page page = manual.page(command);
    rest.addAll(page.notes());
    aliases(command).forEach(alias -> rest.add("`tower " + alias + "` is the same command."));
    page.examples().forEach(example -> rest.add("example: " + example));
    if (!rest.isEmpty()) {
      reply.data("");
      rest.forEach(reply::data);
    }
    return reply;
  }

  /** A page that is not about one command. */
  static Reply topic(Manual.Topic topic) {
    Reply reply = Reply.of(Exit.DONE, JsonWriter.line().put("topic", topic.name()).put("summary", topic.summary())
        .list("rows", topic.rows().stream().map(row -> json(topic.columns(), row).end()).toList()));
    List<List<String>> lines = new ArrayList<>();
    lines.add(topic.columns().stream().map(column -> column.toUpperCase(Locale.ROOT)).toList());
    lines.addAll(topic.rows());
    List<Integer> widths = new ArrayList<>();
    for (int column = 0; column < topic.columns().size(); column++) {
      int at = column;
      widths.add(Collections.max(lines.stream().map(line -> line.get(at).length()).toList()));
    }
    lines.forEach(line -> {
      StringBuilder text = new StringBuilder();
      for (int column = 0; column < line.size(); column++) {
        text.append(padded(line.get(column), widths.get(column) + 2));
      }
      reply.data(text.toString().stripTrailing());
    });
    return reply;
  }

  private static JsonWriter json(List<String> columns, List<String> row) {
    JsonWriter json = JsonWriter.line();
    for (int column = 0; column < columns.size(); column++) {
      json.put(columns.get(column), row.get(column));
    }
    return json;
  }

  private JsonWriter json(Command command) {
    Manual.Page page = manual.page(command);
    return JsonWriter.line().put("name", command.name()).put("usage", command.usage())
        .put("summary", command.summary()).put("subject", manual.subject(command))
        .list("operands", quoted(command.operands()))
        .list("options", options(command).stream().map(option -> json(option).end()).toList())
        .list("aliases", quoted(aliases(command))).list("examples", quoted(page.examples()))
        .list("notes", quoted(page.notes()));
  }

  private static JsonWriter json(Option option) {
    return JsonWriter.line().put("name", "--" + option.name())
        .put("letter", option.letter().isEmpty() ? null : "-" + option.letter())
        .put("value", option.placeholder().isEmpty() ? null : option.placeholder())
        .put("required", option.isNeeded()).put("repeated", option.kind() == Option.Kind.REPEATED)
        .put("summary", option.summary());
  }

  private static List<Option> options(Command command) {
    return Stream.concat(command.options().stream(), Command.COMMON.stream()).toList();
  }

  private List<String> aliases(Command command) {
    return table.aliases().entrySet().stream().filter(alias -> alias.getValue().equals(command.name()))
        .map(Map.Entry::getKey).sorted().toList();
  }

  private static List<String> quoted(List<String> texts) {
    return texts.stream().map(JsonWriter::quote).toList();
  }

  private static String padded(String text, int width) {
    return text + " ".repeat(width - text.length());
  }
}
