package fleet.tower.architecture;

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

@DisplayName("Every requirement of the specification has a test that names it")
class RequirementsTest {
  private static final Path BASE = Path.of(System.getProperty("project.basedir", "."));
  private static final Pattern ID = Pattern.compile("(?:TF|LK|VB|BD|WI)-[AB]?\\d+(?:\\.\\d+)?");
  private static final Pattern DISPLAY_NAME = Pattern.compile("@DisplayName\\(\\s*\"((?:[^\"\\\\]|\\\\.)*)\"");

  @Test
  @DisplayName("No requirement is without a test")
  void everyLineIsProven() throws IOException {
    assertThat(missing(lines(), namedByTests())).isEmpty();
  }

  @Test
  @DisplayName("A requirement without a test is reported")
  void reportsWhatIsMissing() throws IOException {
    assertThat(missing(List.of("TF-1.1 never two", "TF-99.9 something new"), namedByTests()))
        .containsExactly("TF-99.9");
  }

  private static Set<String> missing(List<String> lines, Set<String> named) {
    Set<String> missing = ids(lines);
    missing.removeAll(named);
    return missing;
  }

  private static Set<String> namedByTests() throws IOException {
    Set<String> named = new TreeSet<>();
    try (Stream<Path> sources = Files.walk(BASE.resolve("src/test/java"))) {
      for (Path source : sources.filter(path -> path.toString().endsWith("Test.java")
          || path.toString().endsWith("Contract.java")).toList()) {
        Matcher names = DISPLAY_NAME.matcher(Files.readString(source));
        while (names.find()) {
          named.addAll(ids(List.of(names.group(1))));
        }
      }
    }
    return named;
  }

  private static List<String> lines() throws IOException {
    List<String> lines = new ArrayList<>();
    try (Stream<Path> files = Files.list(BASE.resolve("src/test/resources/requirements"))) {
      for (Path file : files.filter(path -> path.toString().endsWith(".txt")).sorted().toList()) {
        Files.readAllLines(file).stream().filter(line -> !line.startsWith("#")).forEach(lines::add);
      }
    }
    return lines;
  }

  private static Set<String> ids(List<String> texts) {
    Set<String> ids = new TreeSet<>();
    for (String text : texts) {
      Matcher id = ID.matcher(text);
      while (id.find()) {
        ids.add(id.group());
      }
    }
    return ids;
  }
}
