package fleet.tower.architecture;

import static java.util.stream.Collectors.toCollection;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The tables in the documents agree with the tree")
class TablesTest {
  private static final Pattern NAME = Pattern.compile("`([a-z.]+)`");
  private static final Pattern DECISION = Pattern.compile("\\]\\((\\d{4}-[a-z0-9-]+\\.md)\\)");

  @Test
  @DisplayName("CONTRIBUTING names every package, and no others")
  void packages() throws IOException {
    String page = Files.readString(Project.BASE.resolve("CONTRIBUTING.md"));
    Set<String> there = packagesBelow(Project.MAIN.resolve("fleet/tower"));

    assertThat(differences(named(page), there)).isEmpty();
    assertThat(differences(named(page + "\n| `lock.paper` | |\n"), there)).containsExactly("lock.paper is not there");
    assertThat(differences(new TreeSet<>(Set.of("lock")), new TreeSet<>(Set.of("lock", "lock.sql"))))
        .containsExactly("lock.sql is not named");
  }

  @Test
  @DisplayName("The index of decisions lists every decision, and no others")
  void decisions() throws IOException {
    Path directory = Project.BASE.resolve("docs/adr");
    String index = Files.readString(directory.resolve("README.md"));
    Set<String> there = names(directory, name -> name.matches("\\d{4}-.*\\.md"));

    assertThat(differences(listed(index), there)).isEmpty();
    assertThat(differences(listed(index + "[x](9999-gone.md)"), there)).containsExactly("9999-gone.md is not there");
  }

  @Test
  @DisplayName("The index has the number and the title of every decision")
  void titles() throws IOException {
    Path directory = Project.BASE.resolve("docs/adr");
    Set<String> titles = new TreeSet<>();
    for (String name : names(directory, name -> name.matches("\\d{4}-.*\\.md"))) {
      titles.add(row(name, Files.readString(directory.resolve(name))));
    }

    assertThat(Files.readString(directory.resolve("README.md")).lines()).containsAll(titles);
    assertThat(row("0007-x.md", "# 7. A decision\n\nStatus: accepted\n")).isEqualTo("| [7](0007-x.md) | A decision |");
  }

  /** The row of the index for a decision, from its file name and its heading. */
  private static String row(String name, String decision) {
    String title = decision.lines().findFirst().orElse("").replaceFirst("# \\d+\\. ", "");
    return "| [" + Integer.parseInt(name.substring(0, 4)) + "](" + name + ") | " + title + " |";
  }

  @Test
  @DisplayName("Every decision has a status")
  void statuses() throws IOException {
    List<String> without = new ArrayList<>();
    Path directory = Project.BASE.resolve("docs/adr");
    for (String name : names(directory, name -> name.matches("\\d{4}-.*\\.md"))) {
      if (!hasStatus(Files.readString(directory.resolve(name)))) {
        without.add(name);
      }
    }
    assertThat(without).isEmpty();
    assertThat(hasStatus("# A decision\n\nBecause.\n")).isFalse();
  }

  private static boolean hasStatus(String decision) {
    return decision.lines().anyMatch(line -> line.matches("Status: (accepted|amended by .*|superseded by .*)(\\..*)?"));
  }

  /** The packages that the rows of a page's tables name in their first column. */
  private static Set<String> named(String page) {
    return page.lines().filter(line -> line.startsWith("| `"))
        .flatMap(line -> NAME.matcher(line.substring(0, line.indexOf('|', 1))).results())
        .map((MatchResult name) -> name.group(1)).collect(toCollection(TreeSet::new));
  }

  private static Set<String> listed(String index) {
    return DECISION.matcher(index).results().map(link -> link.group(1)).collect(toCollection(TreeSet::new));
  }

  private static Set<String> packagesBelow(Path root) throws IOException {
    try (Stream<Path> files = Files.walk(root)) {
      return files.filter(file -> file.toString().endsWith(".java")).map(Path::getParent)
          .map(directory -> root.relativize(directory).toString().replace('/', '.')).filter(name -> !name.isEmpty())
          .collect(toCollection(TreeSet::new));
    }
  }

  private static Set<String> names(Path directory, java.util.function.Predicate<String> wanted) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.map(file -> file.getFileName().toString()).filter(wanted).collect(toCollection(TreeSet::new));
    }
  }

  private static List<String> differences(Set<String> named, Set<String> there) {
    List<String> differences = new ArrayList<>();
    there.stream().filter(name -> !named.contains(name)).forEach(name -> differences.add(name + " is not named"));
    named.stream().filter(name -> !there.contains(name)).forEach(name -> differences.add(name + " is not there"));
    return differences;
  }
}
