package fleet.tower.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import fleet.tower.golden.Golden;

/** The list of test classes is derived from their sources; the pages that name a class link to it. */
@DisplayName("Each test class is listed with its subject and its level")
class TestClassesTest {
  private static final String LIST = "src/test/CLASSES.md";
  private static final Pattern SUBJECT = Pattern
      .compile("@DisplayName\\(((?:\\s*\\+?\\s*\"(?:[^\"\\\\]|\\\\.)*\")+)\\)");
  private static final Pattern LITERAL = Pattern.compile("\"((?:[^\"\\\\]|\\\\.)*)\"");
  private static final Pattern PROOF = Pattern
      .compile("\\[`?(\\w+Test)`?]\\(\\.\\./(src/test/java/[^)]+)\\)([^\\[]{0,40})");

  /** A test, or a part of its extent, that is left out without -Pproofs. */
  private static final Pattern LESS = Pattern
      .compile("(?m)^ *@ProofsProfile|= Extent\\.of\\([^,)]+,[^,)]+,|Extent\\.(share|ends|oneOf)\\(");

  /** When a class is run. */
  private enum Level {
    EVERY("every build"), MORE("every build, more with `-Pproofs`"), PROOFS("`-Pproofs`"), LONG("`-Plong`");

    private final String text;

    Level(String text) {
      this.text = text;
    }
  }

  /** A test class by its source. */
  private record TestClass(Path file, String source) {
    String name() {
      return file.getFileName().toString().replace(".java", "");
    }

    String path() {
      return Project.BASE.relativize(file).toString();
    }

    String room() {
      return Project.TEST.resolve("fleet/tower").relativize(file).getName(0).toString();
    }

    /** What the class is about, or its first test. */
    String subject() {
      Matcher subject = SUBJECT.matcher(source);
      return subject.find()
          ? LITERAL.matcher(subject.group(1)).results().map(part -> part.group(1)).collect(Collectors.joining())
              .replace("\\\"", "\"").replace("|", "\\|")
          : "";
    }

    Level level() {
      String ofClass = source.substring(0, source.indexOf("class " + name()));
      if (ofClass.contains("\n@LongProfile")) {
        return Level.LONG;
      }
      if (ofClass.contains("\n@ProofsProfile")) {
        return Level.PROOFS;
      }
      return LESS.matcher(source).find() ? Level.MORE : Level.EVERY;
    }
  }

  private static List<TestClass> all() throws IOException {
    List<TestClass> all = new ArrayList<>();
    for (Path file : Project.javaFiles(Project.TEST)) {
      TestClass found = new TestClass(file, Files.readString(file));
      if (found.name().endsWith("Test") && !found.source().contains("abstract class " + found.name())) {
        all.add(found);
      }
    }
    return all;
  }

  @Test
  @DisplayName("The list is complete, each with the level of the build that runs it")
  void list() throws IOException {
    StringBuilder page = new StringBuilder("""
        # Test classes

        Made from the sources by `TestClassesTest`. What they prove together is in
        [robustness](../../docs/robustness.md); where a new one goes, in the [README](README.md).
        """);
    Map<String, List<TestClass>> rooms = all().stream()
        .collect(Collectors.groupingBy(TestClass::room, TreeMap::new, Collectors.toList()));
    rooms.forEach((room, classes) -> {
      page.append("\n## ").append(room).append("\n\n| Class | Subject | Level |\n|---|---|---|\n");
      classes.forEach(it -> page.append("| [").append(it.name()).append("](").append(it.path().substring(9))
          .append(") | ").append(it.subject()).append(" | ").append(it.level().text).append(" |\n"));
    });
    assertThat(all().stream().filter(it -> it.subject().isEmpty()).map(TestClass::name)).isEmpty();

    Golden.isWhole(LIST, page.toString());
  }

  @Test
  @DisplayName("A promise that names a class which not every build runs says so")
  void levels() throws IOException {
    Map<String, Level> levels = all().stream().collect(Collectors.toMap(TestClass::path, TestClass::level));
    String page = Files.readString(Project.BASE.resolve("docs/robustness.md"));

    assertThat(unsaid(page, levels)).isEmpty();
    assertThat(unsaid("[LongOpenTest](../src/test/java/fleet/tower/console/LongOpenTest.java).", levels))
        .containsExactly("LongOpenTest is run by `-Pproofs`");
    assertThat(unsaid("[GoneTest](../src/test/java/fleet/tower/GoneTest.java)", levels))
        .containsExactly("GoneTest is not there");
  }

  private static List<String> unsaid(String page, Map<String, Level> levels) {
    List<String> unsaid = new ArrayList<>();
    PROOF.matcher(page).results().forEach(proof -> {
      Level level = levels.get(proof.group(2));
      if (level == null) {
        unsaid.add(proof.group(1) + " is not there");
      } else if (level.compareTo(Level.PROOFS) >= 0 && !proof.group(3).startsWith(" (" + level.text + ")")) {
        unsaid.add(proof.group(1) + " is run by " + level.text);
      }
    });
    return unsaid;
  }
}
