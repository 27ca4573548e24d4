package fleet.tower.documents;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.Yaml;

import fleet.tower.documents.Page.Command;
import fleet.tower.documents.Page.Session;

/**
 * The notes about the sessions of one page that a reader need not see, in
 * {@code src/test/resources/documents/sessions}. Each note names a session by its heading, and by its number if the
 * heading has several, and a command by its text. A note that matches nothing is an error.
 */
record Sidecar(Path file, List<Note> notes) {
  static final Path DIRECTORY = Page.BASE.resolve("src/test/resources/documents/sessions");
  private static final Set<String> KEYS = Set.of("heading", "session", "command", "occurrence", "before", "stop",
      "fresh_home");

  /** One note: a fresh home for a session, or what runs before a command and whether the command is interrupted. */
  record Note(String heading, int session, @Nullable String command, int occurrence, @Nullable String before,
      boolean stop, boolean freshHome) {
    boolean isAbout(Session candidate) {
      return candidate.heading().equals(heading) && candidate.number() == session;
    }

    @Override
    public String toString() {
      String place = "session " + session + " below '" + heading + "'";
      return command == null ? place : "command " + occurrence + " '" + command + "' of " + place;
    }
  }

  /** The sidecar of a page; one without notes if the page has none. */
  static Sidecar of(Path page) throws IOException {
    String name = Page.BASE.relativize(page.toAbsolutePath()).toString().replaceFirst("\\.md$", ".yaml");
    Path file = DIRECTORY.resolve(name);
    return Files.exists(file) ? parse(file, Files.readString(file)) : new Sidecar(file, List.of());
  }

  static Sidecar parse(Path file, String text) {
    List<Note> notes = new ArrayList<>();
    for (Object entry : (List<?>) new Yaml().load(text)) {
      Map<?, ?> note = (Map<?, ?>) entry;
      for (Object key : note.keySet()) {
        if (!KEYS.contains(String.valueOf(key))) {
          throw new AssertionError(
              file + ": unknown key '" + key + "'; the keys are " + KEYS.stream().sorted().toList());
        }
      }
      notes.add(new Note(Objects.requireNonNull(text(note, "heading"), file + ": a note without a heading"),
          number(note, "session"), text(note, "command"), number(note, "occurrence"), text(note, "before"),
          Boolean.TRUE.equals(note.get("stop")), Boolean.TRUE.equals(note.get("fresh_home"))));
    }
    return new Sidecar(file, notes);
  }

  private static @Nullable String text(Map<?, ?> note, String key) {
    return note.get(key) instanceof String text ? text : null;
  }

  private static int number(Map<?, ?> note, String key) {
    return note.get(key) instanceof Integer number ? number : 1;
  }

  /** The sessions with every note applied. */
  List<Session> applyTo(List<Session> sessions) {
    List<Session> applied = new ArrayList<>(sessions);
    for (Note note : notes) {
      int at = indexOf(note, applied);
      applied.set(at, apply(note, applied.get(at)));
    }
    return applied;
  }

  private int indexOf(Note note, List<Session> sessions) {
    for (int i = 0; i < sessions.size(); i++) {
      if (note.isAbout(sessions.get(i))) {
        return i;
      }
    }
    List<String> known = sessions.stream().map(it -> it.heading() + " " + it.number()).toList();
    throw new AssertionError(file + ": the page has no " + note + "; it has " + known);
  }

  private Session apply(Note note, Session session) {
    boolean fresh = session.freshHome() || note.freshHome();
    if (note.command() == null) {
      if (note.before() != null || note.stop()) {
        throw new AssertionError(file + ": 'before' and 'stop' need a command: " + note);
      }
      return new Session(session.heading(), session.number(), fresh, session.commands());
    }
    List<Command> commands = new ArrayList<>(session.commands());
    int at = indexOf(note, session);
    commands.set(at, apply(note, commands.get(at)));
    return new Session(session.heading(), session.number(), fresh, commands);
  }

  private int indexOf(Note note, Session session) {
    int seen = 0;
    for (int i = 0; i < session.commands().size(); i++) {
      if (session.commands().get(i).typed().equals(note.command())) {
        seen++;
        if (seen == note.occurrence()) {
          return i;
        }
      }
    }
    throw new AssertionError(file + ": the page has no " + note + "; the session has " + session.lines());
  }

  private static Command apply(Note note, Command command) {
    List<String> before = new ArrayList<>(command.before());
    if (note.before() != null) {
      before.add(note.before());
    }
    return new Command(command.line(), command.text(), before, command.stopped() || note.stop(), command.output());
  }
}
