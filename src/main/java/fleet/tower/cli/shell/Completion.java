package fleet.tower.cli.shell;

import java.util.ArrayList;
import java.util.List;

/** Completion scripts, made from the same table that the commands are parsed by. */
public final class Completion {
  private Completion() {}

  /** The script for bash: commands, then options, then the names of the locks that are held. */
  public static String bash(List<Command> commands) {
    StringBuilder cases = new StringBuilder();
    commands.forEach(command -> cases.append("    ").append(command.name()).append(") options=\"")
        .append(String.join(" ", optionNames(command))).append("\" operands=\"").append(operands(command))
        .append("\" ;;\n"));
    return """
        _tower() {
          local word=${COMP_WORDS[COMP_CWORD]} options="" operands=""
          COMPREPLY=()
          if [ "$COMP_CWORD" -eq 1 ]; then
            COMPREPLY=($(compgen -W "%s" -- "$word"))
            return
          fi
          case ${COMP_WORDS[1]} in
        %s  esac
          case $word in
            -*) COMPREPLY=($(compgen -W "$options" -- "$word")) ;;
            *)
              case $operands in
                "a file") COMPREPLY=($(compgen -f -- "$word")); return ;;
                "an intent") operands=$(cd "${TOWER_HOME:-.}/intents" 2>/dev/null && printf '%%s\\n' *.yaml | sed 's/[.]yaml$//') ;;
                "a lock") operands=$("${COMP_WORDS[0]}" locks --names 2>/dev/null) ;;
              esac
              COMPREPLY=($(compgen -W "$operands" -- "$word"))
              ;;
          esac
        }
        complete -F _tower tower
        """
        .formatted(String.join(" ", names(commands)), cases);
  }

  /** The words that may stand as a command's operand, or that it is a file, an intent or the name of a lock. */
  private static String operands(Command command) {
    if (command.operands().isEmpty()) {
      return "";
    }
    String operand = command.operands().getFirst();
    if (isFile(command)) {
      return "a file";
    }
    if (operand.equals("INTENT")) {
      return "an intent";
    }
    return operand.contains("|") ? operand.replace('|', ' ') : "a lock";
  }

  private static boolean isFile(Command command) {
    return !command.operands().isEmpty() && command.operands().getFirst().contains("FILE");
  }

  /** The script for zsh, which runs the one for bash. */
  public static String zsh(List<Command> commands) {
    return "autoload -U +X bashcompinit && bashcompinit\n" + bash(commands);
  }

  /** The script for fish. */
  public static String fish(List<Command> commands) {
    StringBuilder script = new StringBuilder("complete -c tower -f\n");
    for (Command command : commands) {
      script.append("complete -c tower -n __fish_use_subcommand -a ").append(command.name()).append(" -d ")
          .append(quoted(command.summary())).append('\n');
      if (isFile(command)) {
        script.append("complete -c tower -n '__fish_seen_subcommand_from ").append(command.name()).append("' -F\n");
      }
      for (Option option : options(command)) {
        script.append("complete -c tower -n '__fish_seen_subcommand_from ").append(command.name()).append("' -l ")
            .append(option.name()).append(option.letter().isEmpty() ? "" : " -s " + option.letter())
            .append(takesValue(option) ? " -x" : "").append(" -d ")
            .append(quoted(option.summary())).append('\n');
      }
    }
    return script
        .append("complete -c tower -n 'not __fish_use_subcommand' -a '(tower locks --names 2>/dev/null)'\n").toString();
  }

  private static boolean takesValue(Option option) {
    return option.kind() == Option.Kind.VALUE || option.kind() == Option.Kind.REPEATED;
  }

  private static List<String> names(List<Command> commands) {
    return commands.stream().map(Command::name).toList();
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
