package fleet.tower.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;

/** The parts of this project: sources, classes, and the fixtures that violate the rules. */
final class Project {
  static final Path BASE = Path.of(System.getProperty("project.basedir", "")).toAbsolutePath();
  static final Path MAIN = BASE.resolve("src/main/java");
  static final Path TEST = BASE.resolve("src/test/java");
  /** The benchmarks, which {@code bin/bench} compiles. */
  static final Path BENCH = BASE.resolve("src/bench/java");

  private Project() {}

  /** The production classes, read once. */
  static JavaClasses classes() {
    return Production.CLASSES;
  }

  /** The test classes, read once. */
  static JavaClasses testClasses() {
    return Tests.CLASSES;
  }

  /** All Java files below a directory. */
  static List<Path> javaFiles(Path root) {
    try (Stream<Path> files = Files.walk(root)) {
      List<Path> found = files.filter(file -> file.toString().endsWith(".java")).sorted().toList();
      assertThat(found).as("a rule that checks nothing would always hold: sources below %s", root).isNotEmpty();
      return found;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The sources below {@code src/test/resources/architecture/} that violate one rule. */
  static List<Path> fixtures(String rule) {
    return javaFiles(fixture(rule));
  }

  static Path fixture(String name) {
    return BASE.resolve("src/test/resources/architecture").resolve(name);
  }

  /** The same sources as classes, compiled into {@code output}. */
  static JavaClasses fixtureClasses(String rule, Path output) {
    Sources.compile(fixtures(rule), output);
    return new ClassFileImporter().importPath(output);
  }

  private static JavaClasses read(String directory) {
    JavaClasses found = new ClassFileImporter().importPath(BASE.resolve(directory));
    assertThat(found).as("a rule that checks nothing would always hold: classes in %s", directory).isNotEmpty();
    return found;
  }

  private static final class Production {
    static final JavaClasses CLASSES = read("target/classes");

    private Production() {}
  }

  /** Apart, because few rules are about tests. */
  private static final class Tests {
    static final JavaClasses CLASSES = read("target/test-classes");

    private Tests() {}
  }
}
