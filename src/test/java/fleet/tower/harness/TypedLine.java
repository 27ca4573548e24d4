package fleet.tower.harness;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import fleet.tower.answer.Reply;
import fleet.tower.cli.Tower;
import fleet.tower.platform.Exit;
import fleet.tower.platform.json.JsonException;
import fleet.tower.platform.json.JsonReader;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.platform.text.Console;

/** A command line as a user types it, with the quotes of a shell. */
public final class TypedLine {
  private TypedLine() {}

  /** The words of a line that begins with {@code tower}, without that word. */
  public static List<String> words(String line) {
    List<String> words = new ArrayList<>();
    StringBuilder word = new StringBuilder();
    boolean isQuoted = false;
    for (int i = 0; i < line.length(); i++) {
      char c = line.charAt(i);
      if (c == '\'') {
        isQuoted = !isQuoted;
      } else if (c == '\\' && !isQuoted) {
        i++;
        word.append(line.charAt(i));
      } else if (c == ' ' && !isQuoted) {
        words.add(word.toString());
        word.setLength(0);
      } else {
        word.append(c);
      }
    }
    words.add(word.toString());
    if (isQuoted || !words.getFirst().equals("tower")) {
      throw new AssertionError("not a command of tower: " + line);
    }
    return words.subList(1, words.size());
  }

  /** The usage error of a line; empty if the command table parses it. The command itself fails for lack of a home. */
  public static Optional<String> mistake(String line) {
    List<String> words = new ArrayList<>(List.of("--home", "/nonexistent", "--json"));
    words.addAll(words(line).stream().filter(word -> !word.equals("--json")).toList());
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    Tower.run(words.toArray(String[]::new), Map.of("TOWER_AGENT", "bob"),
        new Console(new PrintStream(out, true, StandardCharsets.UTF_8), new PrintStream(new ByteArrayOutputStream())),
        new Tower.Programs(_ -> Reply.of(Exit.DONE, JsonWriter.line()), _ -> Reply.of(Exit.DONE, JsonWriter.line())));
    try {
      return JsonReader.readObject(out.toString(StandardCharsets.UTF_8).strip()).text("error_code")
          .filter("usage"::equals).map(_ -> out.toString(StandardCharsets.UTF_8));
    } catch (JsonException e) {
      return Optional.of("no JSON: " + out.toString(StandardCharsets.UTF_8));
    }
  }
}
