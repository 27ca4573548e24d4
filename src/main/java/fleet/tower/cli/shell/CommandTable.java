package fleet.tower.cli.shell;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

/**
 * The commands by name. Commands with two-word names form a group, named by the first word. A command whose name is
 * that word alone belongs to the group, too; it is selected if no second word follows.
 *
 * <p>A command line needs one of the commands, and the arguments of all others would cost it time. So the table is made
 * of parts, and a search makes them one by one until it has found the word.
 *
 * @param parts the commands in the order of the overview; a group is in one part
 * @param first the parts in which a search begins: those of the commands that are called most often, and those that
 *        cost least
 */
public record CommandTable(List<Supplier<List<Command>>> parts, List<Supplier<List<Command>>> first,
    Map<String, String> aliases) {
  public CommandTable {
    parts = List.copyOf(parts);
    first = List.copyOf(first);
    aliases = Map.copyOf(aliases);
  }

  /** A table of one part. */
  public CommandTable(List<Command> commands, Map<String, String> aliases) {
    this(List.of(() -> commands), List.of(), aliases);
  }

  /** All commands, in the order of the overview. */
  public List<Command> commands() {
    return parts.stream().flatMap(part -> part.get().stream()).toList();
  }

  /** The command that the first words of a line name. */
  sealed interface Match {}

  /** A command, and its arguments. */
  record Found(Command command, List<String> rest) implements Match {}

  /** A group without the second word. */
  record Incomplete(Group group, List<String> rest) implements Match {}

  /** Nothing; the group is known if only the second word is not. */
  record Unknown(String words, @Nullable Group group) implements Match {}

  /** A row of the overview: a single command, or the commands of a group. */
  record Group(String word, List<Command> members) {
    /** Whether it is a single command with a one-word name. */
    boolean isSingle() {
      return members.size() == 1 && plain().isPresent();
    }

    /** The command whose name is the first word alone. */
    Optional<Command> plain() {
      return members.stream().filter(member -> member.name().equals(word)).findFirst();
    }

    /** The summary of the command that needs no second word; the second words of any other group. */
    String summary() {
      return plain().map(Command::summary).orElseGet(() -> String.join(", ", seconds()));
    }

    /** The second words of the group's commands. */
    List<String> seconds() {
      return members.stream().map(member -> member.name().substring(word.length()).strip())
          .filter(second -> !second.isEmpty()).toList();
    }
  }

  /** The rows of the overview, in the order of the commands. */
  List<Group> groups() {
    List<Command> commands = commands();
    return commands.stream().map(CommandTable::word).distinct().map(word -> group(word, commands)).toList();
  }

  private static Group group(String word, List<Command> commands) {
    return new Group(word, commands.stream().filter(command -> word(command).equals(word)).toList());
  }

  private Group group(String word) {
    return Stream.concat(first.stream(), parts.stream().filter(part -> !first.contains(part)))
        .map(part -> group(word, part.get())).filter(group -> !group.members().isEmpty()).findFirst()
        .orElseGet(() -> new Group(word, List.of()));
  }

  private static String word(Command command) {
    return command.name().split(" ", 2)[0];
  }

  /** Finds the command of a line that has at least one word. */
  Match match(List<String> line) {
    String word = aliases.getOrDefault(line.getFirst(), line.getFirst());
    List<String> rest = line.subList(1, line.size());
    Group group = group(word);
    if (group.members().isEmpty()) {
      return new Unknown(line.getFirst(), null);
    }
    if (group.isSingle()) {
      return new Found(group.members().getFirst(), rest);
    }
    return rest.isEmpty() || rest.getFirst().startsWith("-")
        ? group.plain().<Match>map(plain -> new Found(plain, rest)).orElseGet(() -> new Incomplete(group, rest))
        : member(group, rest);
  }

  private static Match member(Group group, List<String> rest) {
    String name = group.word() + " " + rest.getFirst();
    return group.members().stream().filter(one -> one.name().equals(name)).findFirst()
        .<Match>map(member -> new Found(member, rest.subList(1, rest.size())))
        .orElseGet(() -> new Unknown(name, group));
  }
}
