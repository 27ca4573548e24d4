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
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The tables in the documents agree with the tree")
class TablesTest {
  private static final Pattern ROOM = Pattern.compile("^\\| `([a-z]+)` \\|");
  private static final Pattern DECISION = Pattern.compile("\\]\\((\\d{4}-[a-z0-9-]+\\.md)\\)");

  @Test
  @DisplayName("CONTRIBUTING lists the rooms of the house from the ground up, and no others")
  void rooms() throws IOException {
    String page = Files.readString(Project.BASE.resolve("CONTRIBUTING.md"));
    List<String> drawn = House.DRAWN.rooms().stream().map(House.Room::name).toList();

    assertThat(listedRooms(page)).containsExactlyElementsOf(drawn);
    assertThat(listedRooms(page + "\n| `cellar` | |\n")).endsWith("service", "cellar");
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

  /** The names in the first column of the table of rooms, in order. */
  private static List<String> listedRooms(String page) {
    return page.lines().map(ROOM::matcher).filter(Matcher::find).map(row -> row.group(1)).toList();
  }

  private static Set<String> listed(String index) {
    return DECISION.matcher(index).results().map(link -> link.group(1)).collect(toCollection(TreeSet::new));
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
