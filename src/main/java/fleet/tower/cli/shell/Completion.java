package fleet.tower.cli.shell;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import fleet.tower.answer.CommandLine;
import fleet.tower.operation.LockOperations;

/** Completion scripts, generated from the command table. */
public final class Completion {
  private final List<Command> commands;
  private final List<CommandTable.Group> groups;
  /** What may follow {@code help}. */
  private final String helped;

  public Completion(List<Command> commands, Manual manual) {
    this.commands = List.copyOf(commands);
    this.groups = new CommandTable(commands, Map.of()).groups();
    this.helped = Stream.concat(groups.stream().map(CommandTable.Group::word),
        manual.topics().stream().map(Manual.Topic::name)).collect(Collectors.joining(" "));
  }

  /** The script for bash: completes commands, options, and the names of locks, intents, tasks and mailboxes. */
  public String bash() {
    StringBuilder seconds = new StringBuilder();
    several().forEach(group -> seconds.append("    ").append(group.word()).append(") ").append(secondsOf(group))
        .append(" ;;\n"));
    StringBuilder cases = new StringBuilder();
    commands.forEach(command -> cases.append("    \"").append(command.name()).append("\") options=\"")
        .append(String.join(" ", optionNames(command))).append("\" operands=\"").append(operands(command))
        .append("\" ;;\n"));
    cases.append("    \"help\") operands=\"").append(helped).append("\" ;;\n");
    return """
        _tower() {
          local word=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]} seconds="" options="" operands=""
          COMPREPLY=()
          if [ "$COMP_CWORD" -eq 1 ]; then
            COMPREPLY=($(compgen -W "%s" -- "$word"))
            return
          fi
          case $command in
        %s  esac
          if [ -n "$seconds" ]; then
            if [ "$COMP_CWORD" -eq 2 ]; then
              COMPREPLY=($(compgen -W "$seconds" -- "$word"))
              return
            fi
            command="$command ${COMP_WORDS[2]}"
          fi
          case $command in
        %s  esac
          case $word in
            -*) COMPREPLY=($(compgen -W "$options" -- "$word")) ;;
            *)
              case $operands in
                "a file") COMPREPLY=($(compgen -f -- "$word")); return ;;
                "an intent") operands=$(cd "$("${COMP_WORDS[0]}" home 2>/dev/null)/intents" 2>/dev/null && printf '%%s\\n' *.yaml | sed 's/[.]yaml$//') ;;
                "a lock") operands=$("${COMP_WORDS[0]}" locks --names 2>/dev/null) ;;
                "a task") operands=$("${COMP_WORDS[0]}" task list --ids 2>/dev/null) ;;
                "a mailbox") operands=$("${COMP_WORDS[0]}" mailbox count --names 2>/dev/null) ;;
              esac
              COMPREPLY=($(compgen -W "$operands" -- "$word"))
              ;;
          esac
        }
        complete -F _tower tower
        """
        .formatted(groups.stream().map(CommandTable.Group::word).collect(Collectors.joining(" ", "", " help")),
            seconds, cases);
  }

  /** Sets the second words; after an option, a command that needs no second word is meant. */
  private static String secondsOf(CommandTable.Group group) {
    String seconds = "seconds=\"" + String.join(" ", group.seconds()) + "\"";
    return group.plain().isEmpty() ? seconds : "case ${COMP_WORDS[2]} in -*) ;; *) " + seconds + " ;; esac";
  }

  /** The words allowed as a command's operand, or the kind of name: a file, an intent, a lock, a task, a mailbox. */
  private static String operands(Command command) {
    if (command.operands().isEmpty() || command.most() == 0) {
      return "";
    }
    String operand = command.operands().getFirst();
    if (isFile(command)) {
      return "a file";
    }
    return switch (operand) {
      case "INTENT" -> "an intent";
      case "TASK", "[TASK]" -> "a task";
      case "MAILBOX", "[MAILBOX]" -> "a mailbox";
      case "TITLE" -> "";
      default -> operand.contains("|") ? operand.replace('|', ' ') : "a lock";
    };
  }

  private static boolean isFile(Command command) {
    return !command.operands().isEmpty() && command.operands().getFirst().contains("FILE");
  }

  /** The script for zsh, which runs the one for bash. */
  public String zsh() {
    return "autoload -U +X bashcompinit && bashcompinit\n" + bash();
  }

  /** The script for fish. */
  public String fish() {
    StringBuilder script = new StringBuilder("complete -c tower -f\n");
    for (CommandTable.Group group : groups) {
      script.append("complete -c tower -n __fish_use_subcommand -a ").append(group.word()).append(" -d ")
          .append(quoted(group.summary())).append('\n');
      group.members().forEach(command -> append(script, command, group));
    }
    script.append("complete -c tower -n __fish_use_subcommand -a help -d 'show help'\n")
        .append("complete -c tower -n '__fish_seen_subcommand_from help' -a '").append(helped).append("'\n");
    String several = several().stream().map(CommandTable.Group::word).collect(Collectors.joining(" "));
    return script.append("complete -c tower -n 'not __fish_use_subcommand")
        .append(several.isEmpty() ? "" : "; and not __fish_seen_subcommand_from " + several)
        .append("' -a '(").append(new CommandLine(LockOperations.LIST)).append(" --names 2>/dev/null)'\n").toString();
  }

  private static void append(StringBuilder script, Command command, CommandTable.Group group) {
    String seen = "__fish_seen_subcommand_from " + group.word();
    if (command.name().equals(group.word())) {
      seen += group.isSingle() ? "" : "; and not __fish_seen_subcommand_from " + String.join(" ", group.seconds());
    } else {
      String second = command.name().substring(group.word().length() + 1);
      script.append("complete -c tower -n '").append(seen).append("; and not __fish_seen_subcommand_from ")
          .append(String.join(" ", group.seconds())).append("' -a ").append(second).append(" -d ")
          .append(quoted(command.summary())).append('\n');
      seen += "; and __fish_seen_subcommand_from " + second;
    }
    if (isFile(command)) {
      script.append("complete -c tower -n '").append(seen).append("' -F\n");
    }
    for (Option option : options(command)) {
      script.append("complete -c tower -n '").append(seen).append("' -l ")
          .append(option.name()).append(option.letter().isEmpty() ? "" : " -s " + option.letter())
          .append(takesValue(option) ? " -x" : "").append(" -d ")
          .append(quoted(option.summary())).append('\n');
    }
  }

  private static boolean takesValue(Option option) {
    return switch (option.kind()) {
      case VALUE, TEXT, REPEATED -> true;
      case FLAG, OPTIONAL_DURATION -> false;
    };
  }

  private List<CommandTable.Group> several() {
    return groups.stream().filter(group -> !group.isSingle()).toList();
  }

  private static List<String> optionNames(Command command) {
    return options(command).stream().map(option -> "--" + option.name()).toList();
  }

  private static List<Option> options(Command command) {
    List<Option> options = new ArrayList<>(command.options());
    options.addAll(Command.COMMON);
    return options;
  }

  private static String quoted(String text) {
    return "'" + text.replace("'", "\\'") + "'";
  }
}
