package fleet.tower.cli.shell;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * What the help adds to the declarations of the commands.
 *
 * @param subjects the subjects of the overview, in order
 * @param topics pages that are not about one command
 * @param synonyms words of other tools and the commands that do the same here; a key of two words belongs to a group
 */
public record Manual(List<Subject> subjects, List<Topic> topics, Map<String, List<String>> synonyms) {
  /** A manual without content. */
  public static final Manual NONE = new Manual(List.of(), List.of(), Map.of());
  private static final Page EMPTY = new Page("", List.of(), List.of());

  public Manual {
    subjects = List.copyOf(subjects);
    topics = List.copyOf(topics);
    synonyms = Map.copyOf(synonyms);
  }

  /** Commands that belong together. */
  public record Subject(String title, List<Page> pages) {
    public Subject {
      pages = List.copyOf(pages);
    }
  }

  /** What help adds to the declaration of a command: command lines to copy, and what is easy to get wrong. */
  public record Page(String command, List<String> examples, List<String> notes) {
    public Page {
      examples = List.copyOf(examples);
      notes = List.copyOf(notes);
    }

    /** A page with an example. */
    public static Page of(String command, String example, String... notes) {
      return new Page(command, List.of(example), List.of(notes));
    }
  }

  /** A table that `tower help NAME` prints; the name of a column is its JSON member. */
  public record Topic(String name, String summary, List<String> columns, List<List<String>> rows) {
    public Topic {
      columns = List.copyOf(columns);
      rows = List.copyOf(rows);
    }
  }

  /** The page of a command; an empty one if it has none. */
  Page page(Command command) {
    return pages().filter(page -> page.command().equals(command.name())).findFirst().orElse(EMPTY);
  }

  /** The title of a command's subject; empty if it has none. */
  String subject(Command command) {
    return subjects.stream()
        .filter(subject -> subject.pages().stream().anyMatch(page -> page.command().equals(command.name())))
        .map(Subject::title).findFirst().orElse("");
  }

  Optional<Topic> topic(String name) {
    return topics.stream().filter(topic -> topic.name().equals(name)).findFirst();
  }

  /** All pages, in the order of the subjects. */
  public Stream<Page> pages() {
    return subjects.stream().flatMap(subject -> subject.pages().stream());
  }
}
