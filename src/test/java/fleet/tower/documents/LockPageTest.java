package fleet.tower.documents;

import static org.assertj.core.api.Assertions.assertThat;

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

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import fleet.tower.harness.TestFiles;

@DisplayName("The page about a lock from request to record agrees with the code")
class LockPageTest {
  private static final Pattern IN_TEXT = Pattern.compile("`([A-Z][a-z]\\w+)(?:\\.(\\w+))?`");
  private static final Pattern IN_PICTURE = Pattern.compile("class=\"code\"[^>]*>(\\w+)<");
  /** The cases of the types that the page explains, which it names alone. */
  private static final Pattern CASES = Pattern.compile("\\b(?:record|interface) (\\w+)");
  private static final List<String> EXPLAINED = List.of("AcquireOutcome", "Decision");

  private final Map<String, String> classes = classes();

  @Test
  @DisplayName("Each class and method that it names exists, also in its picture")
  void exist() throws IOException {
    String page = Files.readString(Page.BASE.resolve("docs/lock-from-request-to-record.md"));
    String picture = Files.readString(Page.BASE.resolve("docs/images/lock-path.svg"));

    assertThat(IN_TEXT.matcher(page).results().count()).isGreaterThan(40);
    assertThat(IN_PICTURE.matcher(picture).results().count()).isGreaterThan(10);
    assertThat(missing(IN_TEXT.matcher(page))).isEmpty();
    assertThat(missing(IN_PICTURE.matcher(picture))).isEmpty();
  }

  @Test
  @DisplayName("A class, a method or a case that does not exist is found")
  void missingNamesAreFound() {
    assertThat(missing(IN_TEXT.matcher("`Locks.acquire`, `Locks.seize`, `Padlocks`, `Granted`, `Grunted`")))
        .containsExactly("`Locks.seize`", "`Padlocks`", "`Grunted`");
    assertThat(missing(IN_PICTURE.matcher("<text class=\"code\">Padlocks</text>"))).hasSize(1);
  }

  private List<String> missing(Matcher names) {
    List<String> missing = new ArrayList<>();
    names.results().filter(name -> !exists(name.group(1), name.groupCount() > 1 ? name.group(2) : null))
        .forEach(name -> missing.add(name.group()));
    return missing;
  }

  private boolean exists(String name, @Nullable String member) {
    String source = classes.getOrDefault(name, "");
    return member == null
        ? !source.isEmpty() || EXPLAINED.stream().anyMatch(type -> cases(type).contains(name))
        : Pattern.compile("\\b" + member + "\\(").matcher(source).find();
  }

  private List<String> cases(String type) {
    return CASES.matcher(classes.getOrDefault(type, "")).results().map(found -> found.group(1)).toList();
  }

  /** The sources of all classes by name; of two classes with one name, both sources. */
  private static Map<String, String> classes() {
    Map<String, String> classes = new TreeMap<>();
    for (String root : List.of("src/main/java", "src/test/java")) {
      try (Stream<Path> files = Files.walk(Page.BASE.resolve(root))) {
        files.filter(file -> file.toString().endsWith(".java")).forEach(file -> classes.merge(
            file.getFileName().toString().replace(".java", ""), TestFiles.text(file), String::concat));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    return classes;
  }
}
