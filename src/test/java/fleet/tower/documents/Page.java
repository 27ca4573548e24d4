package fleet.tower.documents;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A document and the commands in it. The text between <code>```console</code> and <code>```</code> is a session. A line
 * that begins with {@code $ } is a command; its comment {@code # … exit code 2} names its exit code if that is not 0.
 * The lines below it are its expected output, where {@code …} matches any text and, on a line of its own, any number of
 * lines. Without such lines the output is not checked. What a reader need not see is in the page's {@link Sidecar}.
 */
record Page(Path file, Map<String, String> intents, List<Session> sessions) {
  static final Path BASE = Path.of(System.getProperty("project.basedir", "")).toAbsolutePath();
  private static final Pattern HEADING = Pattern.compile("#+ +(.*)");
  private static final Pattern INTENT = Pattern
      .compile("```yaml\n(apiVersion:.*?\\bname: ([a-z0-9-]+).*?)```", Pattern.DOTALL);
  private static final Pattern EXIT = Pattern.compile("#.*exit code (\\d+)");

  /** The {@code number}th session below a heading; with {@code freshHome}, it begins in a new home. */
  record Session(String heading, int number, boolean freshHome, List<Command> commands) {
    /** Every command line of the session, without its comment. */
    List<String> lines() {
      return commands.stream().map(Command::typed).toList();
    }
  }

  /** One command: what runs before it, whether it is interrupted, and its expected output, which may be empty. */
  record Command(int line, String text, List<String> before, boolean stopped, List<String> output) {
    private static final Pattern COMMENT = Pattern.compile(" {2,}# .*$");

    /** The command without its comment. */
    String typed() {
      return COMMENT.matcher(text).replaceFirst("");
    }

    int exit() {
      Matcher exit = EXIT.matcher(text);
      return exit.find() ? Integer.parseInt(exit.group(1)) : 0;
    }
  }

  /** All documents that people read, in the order of their paths. */
  static List<Path> files() {
    List<Path> pages = new ArrayList<>();
    for (String place : List.of("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "docs", "intents", "helm")) {
      try (Stream<Path> files = Files.walk(BASE.resolve(place))) {
        files.filter(file -> file.toString().endsWith(".md")).sorted().forEach(pages::add);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    return pages;
  }

  /** The page with the notes of its sidecar applied. */
  static Page read(Path file) {
    try {
      String text = Files.readString(file);
      return new Page(file, intents(text), Sidecar.of(file).applyTo(sessions(text.lines().toList())));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The intents that the page shows whole, by their names; they are in every home of the page. */
  private static Map<String, String> intents(String text) {
    Map<String, String> intents = new TreeMap<>();
    INTENT.matcher(text).results().forEach(match -> intents.put(match.group(2), match.group(1)));
    return intents;
  }

  /** The sessions of a text, without any notes. */
  static List<Session> sessions(List<String> lines) {
    List<Session> sessions = new ArrayList<>();
    String heading = "";
    int number = 0;
    for (int i = 0; i < lines.size(); i++) {
      Matcher title = HEADING.matcher(lines.get(i));
      if (title.matches()) {
        heading = title.group(1);
        number = 0;
      } else if (lines.get(i).startsWith("```")) {
        int end = i + 1 + lines.subList(i + 1, lines.size()).indexOf("```");
        if (lines.get(i).equals("```console")) {
          number++;
          sessions.add(new Session(heading, number, false, commands(lines, i + 1, end)));
        }
        i = end;
      }
    }
    return sessions;
  }

  private static List<Command> commands(List<String> lines, int from, int to) {
    List<Command> commands = new ArrayList<>();
    for (int i = from; i < to;) {
      String line = lines.get(i);
      int number = i + 1;
      i++;
      if (!line.startsWith("$ ")) {
        throw new AssertionError("line " + number + " is below no command: " + line);
      }
      StringBuilder text = new StringBuilder(line.substring(2));
      while (text.toString().endsWith("\\")) {
        text.append("\n").append(lines.get(i));
        i++;
      }
      List<String> output = new ArrayList<>();
      while (i < to && !lines.get(i).startsWith("$ ")) {
        output.add(lines.get(i));
        i++;
      }
      // An empty line between two commands is only for readability.
      while (!output.isEmpty() && output.getLast().isEmpty()) {
        output.removeLast();
      }
      commands.add(new Command(number, text.toString(), List.of(), false, output));
    }
    return commands;
  }
}
