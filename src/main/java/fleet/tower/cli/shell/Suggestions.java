package fleet.tower.cli.shell;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

import fleet.tower.platform.text.Nearest;

/**
 * The commands that a mistyped one most likely means: those that a word of another tool stands for, the nearest names,
 * and commands of a group that were typed without the first word.
 */
record Suggestions(CommandTable table, Map<String, List<String>> synonyms) {

  /** The question whether one of them is meant; else the command that lists all. */
  String question(CommandTable.Unknown unknown) {
    List<String> names = names(unknown);
    CommandTable.Group group = unknown.group();
    return names.isEmpty()
        ? "see `tower " + (group == null ? "" : group.word() + " ") + "--help`"
        : "did you mean " + listed(names) + "?";
  }

  /** The command that shows how the likeliest of them is used. */
  String help(CommandTable.Unknown unknown) {
    CommandTable.Group group = unknown.group();
    return "tower "
        + names(unknown).stream().findFirst().or(() -> Optional.ofNullable(group).map(CommandTable.Group::word))
            .map(name -> name + " ").orElse("")
        + "--help";
  }

  /** The names of the commands, the likeliest first. */
  List<String> names(CommandTable.Unknown unknown) {
    Set<String> names = new LinkedHashSet<>(synonyms.getOrDefault(unknown.words(), List.of()));
    CommandTable.Group group = unknown.group();
    if (group == null) {
      if (names.isEmpty()) {
        Nearest.of(unknown.words(), table.groups().stream().map(CommandTable.Group::word).toList())
            .ifPresent(names::add);
      }
      if (names.isEmpty()) {
        table.commands().stream().map(Command::name).filter(name -> name.endsWith(" " + unknown.words()))
            .forEach(names::add);
      }
    } else if (names.isEmpty()) {
      Nearest.of(unknown.words().substring(group.word().length() + 1), group.seconds())
          .ifPresent(second -> names.add(group.word() + " " + second));
    }
    return List.copyOf(names);
  }

  private static String listed(List<String> names) {
    List<String> commands = new ArrayList<>(names.stream().map(name -> "`tower " + name + "`").toList());
    String last = commands.removeLast();
    return commands.isEmpty() ? last : String.join(", ", commands) + " or " + last;
  }
}
