package fleet.tower.cli.shell;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import fleet.tower.answer.NextAction;
import fleet.tower.answer.Remedy;
import fleet.tower.answer.Reply;
import fleet.tower.answer.UsageError;
import fleet.tower.platform.ErrorCode;
import fleet.tower.platform.Exit;
import fleet.tower.platform.text.Console;
import fleet.tower.platform.text.Nearest;
import fleet.tower.platform.time.TimeSpans;

/** The parser and dispatcher: finds the command, checks its arguments, runs it and prints its answer. */
public final class Shell {
  private static final Set<String> HELP = Set.of("help", "--help", "-h");
  private static final String HOME = "--home";

  private final CommandTable table;
  private final Supplier<Manual> manual;
  private final FailureTable failures;

  /** Translates an exception of a command into an answer. */
  public interface FailureTable {
    Reply of(RuntimeException failure);
  }

  public Shell(List<Command> commands, Map<String, String> aliases, FailureTable failures) {
    this(new CommandTable(commands, aliases), () -> Manual.NONE, failures);
  }

  /** @param manual read only if help or a suggestion is printed */
  public Shell(CommandTable table, Supplier<Manual> manual, FailureTable failures) {
    this.table = table;
    this.manual = manual;
    this.failures = failures;
  }

  /** Runs one command line. */
  public Exit run(String[] line, Console console) {
    boolean asJson = Arrays.stream(line).takeWhile(word -> !word.equals("--")).anyMatch("--json"::equals);
    return answer(nameFirst(List.of(line))).print(console, asJson);
  }

  /** The value of {@code --home} on a line, needed before the command is parsed. */
  public static Optional<String> home(String[] line) {
    List<String> words = Arrays.stream(line).takeWhile(word -> !word.equals("--")).toList();
    for (int i = 0; i < words.size(); i++) {
      if (words.get(i).startsWith(HOME + "=")) {
        return Optional.of(words.get(i).substring(HOME.length() + 1));
      }
      if (words.get(i).equals(HOME) && i + 1 < words.size()) {
        return Optional.of(words.get(i + 1));
      }
    }
    return Optional.empty();
  }

  /** Global options may come before the command name; this moves them after it. */
  private static List<String> nameFirst(List<String> line) {
    int name = 0;
    while (name < line.size() && (line.get(name).equals("--json") || line.get(name).startsWith(HOME + "=")
        || line.get(name).equals(HOME))) {
      name += line.get(name).equals(HOME) ? 2 : 1;
    }
    if (name == 0 || name >= line.size()) {
      return line;
    }
    List<String> words = new ArrayList<>(line.subList(name, line.size()));
    int end = words.indexOf("--");
    words.addAll(end < 0 ? words.size() : end, line.subList(0, name));
    return words;
  }

  private Reply answer(List<String> line) {
    if (line.isEmpty()) {
      return help().overview(Exit.USAGE);
    }
    if (HELP.contains(line.getFirst())) {
      return help(line.subList(1, line.size()));
    }
    CommandTable.Match match = table.match(line);
    // Before the switch: the JVM generates a class for the first use of each, which takes as long as a short command.
    if (match instanceof CommandTable.Found found) {
      return answer(found.command(), found.rest());
    }
    return switch (match) {
      case CommandTable.Found(Command command, List<String> rest) -> answer(command, rest);
      case CommandTable.Incomplete(var group, List<String> rest) -> help().group(group,
          HELP.stream().anyMatch(rest::contains)
              ? Exit.DONE
              : Exit.USAGE);
      case CommandTable.Unknown unknown -> unknown(unknown);
    };
  }

  private Reply answer(Command command, List<String> line) {
    Arguments arguments = null;
    try {
      arguments = parse(command, line);
      return arguments.has("help")
          ? help().command(command)
          : withActions(command.action().run(arguments), command, arguments);
    } catch (UsageError e) {
      return withActions(Reply.failure(Exit.USAGE, e.code().code(), e.problem(), "usage: " + command.usage())
          .general(List.of(Remedy.listing())), command, arguments);
    } catch (RuntimeException e) {
      return withActions(failures.of(e), command, arguments);
    }
  }

  private static Reply withActions(Reply reply, Command command, @Nullable Arguments arguments) {
    return reply.to(new TypedCommand(command, arguments, reply.isRepeatable(), reply.role(), reply.actor()));
  }

  private Help help() {
    return new Help(table, manual.get());
  }

  private Reply help(List<String> line) {
    List<String> words = line.stream().filter(word -> !word.startsWith("-")).toList();
    if (words.isEmpty()) {
      return help().overview(Exit.DONE);
    }
    Optional<Manual.Topic> topic = manual.get().topic(words.getFirst());
    if (topic.isPresent()) {
      return words.size() == 1
          ? Help.topic(topic.get())
          : usage("'" + words.get(1) + "' is one argument too many", "usage: tower help " + words.getFirst());
    }
    return switch (table.match(words)) {
      case CommandTable.Found(Command command, var _) -> help().command(command);
      case CommandTable.Incomplete(var group, var _) -> help().group(group, Exit.DONE);
      case CommandTable.Unknown unknown -> {
        List<String> topics = manual.get().topics().stream().map(Manual.Topic::name).toList();
        yield Nearest.of(words.getFirst(), topics)
            .map(name -> usage("there is no help about '" + words.getFirst() + "'",
                "did you mean `tower help " + name + "`?"))
            .orElseGet(() -> unknown(unknown));
      }
    };
  }

  private Reply unknown(CommandTable.Unknown unknown) {
    Suggestions suggestions = new Suggestions(table, manual.get().synonyms());
    NextAction help = NextAction.command(suggestions.help(unknown), "see how it is used");
    return Reply.failure(Exit.USAGE, ErrorCode.USAGE.code(), "there is no command '" + unknown.words() + "'",
        suggestions.question(unknown)).actions(List.of(help.json()), help.line());
  }

  private static Reply usage(String problem, String suggestion) {
    return Reply.failure(Exit.USAGE, ErrorCode.USAGE.code(), problem, suggestion);
  }

  private static Arguments parse(Command command, List<String> line) {
    int end = command.takesCommand() ? line.indexOf("--") : -1;
    List<String> words = end < 0 ? line : line.subList(0, end);
    List<String> behind = end < 0 ? List.of() : line.subList(end + 1, line.size());
    List<Option> known = new ArrayList<>(command.options());
    known.addAll(Command.COMMON);
    List<String> operands = new ArrayList<>();
    Map<String, List<String>> options = new LinkedHashMap<>();
    boolean onlyOperands = false;
    for (int i = 0; i < words.size(); i++) {
      String word = words.get(i);
      if (onlyOperands || !word.startsWith("-") || word.equals("-")) {
        operands.add(word);
      } else if (word.equals("--")) {
        onlyOperands = true;
      } else {
        i += take(known, words, i, options);
      }
    }
    if (!options.containsKey("help")) {
      requireCount(command, operands);
      requireNeeded(command, options);
      if (command.takesCommand() && behind.isEmpty() && (end >= 0 || command.needsCommand())) {
        throw new UsageError(end < 0
            ? "'" + command.operands().getLast() + "' is missing: the command follows --"
            : "there is no command after --");
      }
    }
    return new Arguments(operands, behind, options);
  }

  /** Parses the option at an index; returns how many of the following words belong to it. */
  private static int take(List<Option> known, List<String> words, int at, Map<String, List<String>> options) {
    String word = words.get(at).equals("-h") ? "--help" : words.get(at);
    int equals = word.indexOf('=');
    String called = equals < 0 ? word : word.substring(0, equals);
    Option option = known.stream().filter(one -> one.isCalled(called)).findFirst()
        .orElseThrow(() -> unknownOption(called, known));
    if (option.kind() != Option.Kind.REPEATED && options.containsKey(option.name())) {
      throw new UsageError(called + " is given twice");
    }
    if (option.kind() == Option.Kind.FLAG && equals >= 0) {
      throw new UsageError(called + " takes no value");
    }
    String next = at + 1 < words.size() ? words.get(at + 1) : null;
    boolean takesNext = equals < 0 && next != null && switch (option.kind()) {
      case FLAG -> false;
      case VALUE, TEXT, REPEATED -> true;
      case OPTIONAL_DURATION -> TimeSpans.parse(next).isPresent();
    };
    String value = equals >= 0 ? word.substring(equals + 1) : takesNext && next != null ? next : "";
    requireValue(known, option, called, value, takesNext, equals >= 0);
    options.computeIfAbsent(option.name(), _ -> new ArrayList<>()).add(value);
    return takesNext ? 1 : 0;
  }

  /** If a value is missing, the next word is another option; using it as the value would hide the mistake. */
  private static void requireValue(List<Option> known, Option option, String called, String value, boolean isNext,
      boolean hasEquals) {
    if (option.kind() == Option.Kind.FLAG || option.kind() == Option.Kind.OPTIONAL_DURATION) {
      return;
    }
    if (value.isEmpty() && (option.kind() != Option.Kind.TEXT || !hasEquals)) {
      throw new UsageError(called + " needs a value: " + option.usage());
    }
    if (isNext && known.stream().anyMatch(one -> one.isCalled(value))) {
      throw new UsageError(called + " needs a value: " + option.usage() + "; write " + called + "=" + value
          + " if you mean that");
    }
  }

  private static UsageError unknownOption(String word, List<Option> known) {
    List<String> names = known.stream().map(option -> "--" + option.name()).toList();
    String suggestion = Nearest.of(word, names).map(name -> "; did you mean " + name + "?").orElse("");
    return new UsageError("there is no option " + word + suggestion);
  }

  private static void requireCount(Command command, List<String> operands) {
    if (operands.size() < command.required()) {
      throw new UsageError(command.operands().get(operands.size()) + " is missing");
    }
    if (operands.size() > command.most()) {
      throw new UsageError("'" + operands.get(command.most()) + "' is one argument too many");
    }
  }

  private static void requireNeeded(Command command, Map<String, List<String>> options) {
    for (Option option : command.options()) {
      String missing = option.missing();
      if (missing != null && !options.containsKey(option.name())) {
        throw new UsageError(missing);
      }
    }
  }
}
