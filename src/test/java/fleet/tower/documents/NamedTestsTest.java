package fleet.tower.documents;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The tests that the documents name")
class NamedTestsTest {
  private static final Pattern NAME = Pattern.compile("`([A-Z]\\w*(?:Test|Contract))`");

  @Test
  @DisplayName("Each of these tests exists")
  void exist() throws IOException {
    Set<String> there = tests();
    for (Path page : Page.files()) {
      assertThat(missing(Files.readString(page), there)).as(page.toString()).isEmpty();
    }
    assertThat(missing(Files.readString(Page.BASE.resolve("docs/security.md")), Set.of()))
        .as("a rule that checks nothing would always hold").contains("AudienceTest");
  }

  @Test
  @DisplayName("A test that does not exist is found")
  void missingTestIsFound() {
    assertThat(missing("| met | `OneTest`, `OtherTest` |\n`OneContract`; `Test`", Set.of("OneTest")))
        .containsExactly("OneContract", "OtherTest");
  }

  private static List<String> missing(String page, Set<String> there) {
    Set<String> named = new TreeSet<>(NAME.matcher(page).results().map(name -> name.group(1)).toList());
    named.removeAll(there);
    return List.copyOf(named);
  }

  private static Set<String> tests() throws IOException {
    try (Stream<Path> files = Files.walk(Page.BASE.resolve("src/test/java"))) {
      return new TreeSet<>(files.map(file -> String.valueOf(file.getFileName())).filter(name -> name.endsWith(".java"))
          .map(name -> name.substring(0, name.length() - ".java".length())).toList());
    }
  }
}
