package fleet.tower.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import fleet.tower.harness.TestFiles;

@DisplayName("The imports of the console's sources")
class ConsoleArchitectureTest {
  private static final Map<String, Set<String>> CONSOLE = imports(Project.BASE.resolve("src/main/console"));
  private static final Map<String, Set<String>> FIXTURES = imports(Project.fixture("console"));
  /** The directories from the ground up; what stands beside them, {@code app.ts}, is above them. */
  private static final List<String> FLOORS = List.of("record", "parts", "pages", "app", "");

  @Test
  @DisplayName("A directory imports itself and those below: record, parts, pages, app")
  void floors() {
    assertThat(upward(CONSOLE)).isEmpty();
    assertThat(upward(FIXTURES)).containsExactly("parts/router.ts imports pages/now.ts");
  }

  @Test
  @DisplayName("No file imports itself through others, also if an import is of types, or is loaded later")
  void circles() {
    assertThat(inCircles(CONSOLE)).isEmpty();
    assertThat(inCircles(FIXTURES)).containsExactly("pages/now-rows.ts", "pages/now.ts", "parts/router.ts",
        "record/api.ts", "record/session.ts");
  }

  @Test
  @DisplayName("Every import of a file is found")
  void found() {
    assertThat(CONSOLE.get("app/pages.ts")).contains("pages/now.ts", "pages/lock.ts");
    assertThat(FIXTURES.get("app.ts")).containsExactly("app/shell.ts", "record/api.ts");
  }

  /** The files below a directory, each with the other files there that it imports. */
  private static Map<String, Set<String>> imports(Path root) {
    Pattern name = Pattern.compile("(?:\\bfrom|\\bimport)\\s*\\(?\\s*\"(\\.[^\"]+)\"");
    Map<String, Set<String>> imports = new TreeMap<>();
    for (Path file : scripts(root)) {
      Set<String> imported = new TreeSet<>();
      name.matcher(TestFiles.text(file)).results()
          .map(it -> file.resolveSibling(it.group(1) + ".ts").normalize())
          .filter(Files::exists).forEach(it -> imported.add(root.relativize(it).toString()));
      imports.put(root.relativize(file).toString(), imported);
    }
    return imports;
  }

  private static List<Path> scripts(Path root) {
    try (Stream<Path> files = Files.walk(root)) {
      return files.filter(file -> file.toString().endsWith(".ts")).toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static List<String> upward(Map<String, Set<String>> imports) {
    List<String> upward = new ArrayList<>();
    imports.forEach((file, imported) -> imported.stream().filter(it -> floor(it) > floor(file))
        .forEach(it -> upward.add(file + " imports " + it)));
    return upward;
  }

  private static int floor(String file) {
    int floor = FLOORS.indexOf(file.substring(0, Math.max(0, file.indexOf('/'))));
    assertThat(floor).as("the floor of %s", file).isNotNegative();
    return floor;
  }

  private static List<String> inCircles(Map<String, Set<String>> imports) {
    return imports.keySet().stream().filter(file -> reachable(file, imports).contains(file)).toList();
  }

  /** All files that a file imports, and those that they import. */
  private static Set<String> reachable(String file, Map<String, Set<String>> imports) {
    Set<String> reached = new HashSet<>();
    List<String> open = new ArrayList<>(imports.get(file));
    while (!open.isEmpty()) {
      String next = open.removeLast();
      if (reached.add(next)) {
        open.addAll(imports.get(next));
      }
    }
    return reached;
  }
}
