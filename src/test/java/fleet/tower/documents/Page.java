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
 * A document and the commands in it. What is between <code>```console</code> and <code>```</code> is a session: a line that
 * begins with {@code $ } is a command, with a comment {@code # … exit code 2} where it does not end with 0; the lines below it
 * are what it prints, where {@code …} is anything and a line of it alone any number of lines. Without such a line anything may
 * be printed. Comments of the document say what a reader need not see: {@code <!-- home -->} begins a new home, and
 * {@code <!-- 2: before COMMAND -->} and {@code <!-- 2: stop -->} are about the second command of the next session.
 */
record Page(Path file, Map<String, String> intents, List<Session> sessions) {
  static final Path BASE = Path.of(System.getProperty("project.basedir", "")).toAbsolutePath();
  private static final Pattern NOTE = Pattern.compile("<!-- (?:(\\d+): (before|stop) ?(.*?)|home) -->");
  private static final Pattern INTENT = Pattern
      .compile("```yaml\n(apiVersion:.*?\\bname: ([a-z0-9-]+).*?)```", Pattern.DOTALL);
  private static final Pattern EXIT = Pattern.compile("#.*exit code (\\d+)");

  /** Commands that stand together; with {@code freshHome}, the first ones in a home of their own. */
  record Session(boolean freshHome, List<Command> commands) {}

  /** One command: what has to be done before it, and what it prints, if anything is said about that. */
  record Command(int line, String text, List<String> before, boolean stopped, List<String> output) {
    int exit() {
      Matcher exit = EXIT.matcher(text);
      return exit.find() ? Integer.parseInt(exit.group(1)) : 0;
    }
  }

  /** All documents that people read, in the order of their paths. */
  static List<Path> files() {
    List<Path> pages = new ArrayList<>();
    for (String place : List.of("README.md", "CONTRIBUTING.md", "docs", "intents", "helm")) {
      try (Stream<Path> files = Files.walk(BASE.resolve(place))) {
        files.filter(file -> file.toString().endsWith(".md")).sorted().forEach(pages::add);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    return pages;
  }

  static Page read(Path file) {
    try {
      return new Page(file, intents(Files.readString(file)), sessions(Files.readAllLines(file)));
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

  private static List<Session> sessions(List<String> lines) {
    List<Session> sessions = new ArrayList<>();
    Map<Integer, List<String>> before = new TreeMap<>();
    List<Integer> stopped = new ArrayList<>();
    boolean fresh = false;
    for (int i = 0; i < lines.size(); i++) {
      Matcher note = NOTE.matcher(lines.get(i));
      if (note.matches() && note.group(1) == null) {
        fresh = true;
      } else if (note.matches() && note.group(2).equals("stop")) {
        stopped.add(Integer.valueOf(note.group(1)));
      } else if (note.matches()) {
        before.computeIfAbsent(Integer.valueOf(note.group(1)), _ -> new ArrayList<>()).add(note.group(3));
      } else if (lines.get(i).equals("```console")) {
        int end = i + lines.subList(i, lines.size()).indexOf("```");
        sessions.add(new Session(fresh, commands(lines, i + 1, end, before, stopped)));
        before = new TreeMap<>();
        stopped = new ArrayList<>();
        fresh = false;
        i = end;
      }
    }
    return sessions;
  }

  private static List<Command> commands(List<String> lines, int from, int to, Map<Integer, List<String>> before,
      List<Integer> stopped) {
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
      // An empty line between two commands is there for the eye.
      while (!output.isEmpty() && output.getLast().isEmpty()) {
        output.removeLast();
      }
      int count = commands.size() + 1;
      commands.add(new Command(number, text.toString(), before.getOrDefault(count, List.of()), stopped.contains(count),
          output));
    }
    return commands;
  }
}
