package fleet.tower.architecture;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.mapping;
import static java.util.stream.Collectors.toList;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;

@DisplayName("An adapter is package-private")
class AdapterArchitectureTest {
  private static JavaClasses fixtures = Project.classes();

  @BeforeAll
  static void compileFixtures(@TempDir Path output) {
    fixtures = Project.fixtureClasses("adapter", output);
  }

  @Test
  @DisplayName("It has at most one public class, its factory")
  void oneFactory() {
    assertThat(adaptersShowingMore(Project.classes())).isEmpty();

    assertThat(adaptersShowingMore(fixtures)).containsExactly("fleet.tower.lock.file shows [FirstDoor, SecondDoor]");
  }

  @Test
  @DisplayName("Only home, service.config and Main use that factory, and adapters to the same technique")
  void nobodyImportsAdapters() {
    assertThat(imports(Project.classes())).isEmpty();

    assertThat(imports(fixtures)).singleElement().asString().contains("HeartbeatOpensFiles",
        "fleet.tower.lock.file.FileLocks");
  }

  private static List<String> adaptersShowingMore(JavaClasses classes) {
    Map<String, List<String>> shown = classes.stream()
        .filter(type -> House.packageOf(type).filter(House::isAdapter).isPresent())
        .filter(type -> type.isTopLevelClass() && type.getModifiers().contains(JavaModifier.PUBLIC))
        .collect(groupingBy(JavaClass::getPackageName, TreeMap::new, mapping(JavaClass::getSimpleName, toList())));
    return shown.entrySet().stream().filter(entry -> entry.getValue().size() > 1)
        .map(entry -> entry.getKey() + " shows " + entry.getValue().stream().sorted().toList()).toList();
  }

  private static List<String> imports(JavaClasses classes) {
    return classes.stream().flatMap(type -> type.getDirectDependenciesFromSelf().stream())
        .filter(AdapterArchitectureTest::opensAnAdapter).map(Dependency::getDescription).toList();
  }

  /** The last word of the package of an adapter; empty for any other package. */
  private static String techniqueOf(Optional<String> name) {
    return name.filter(House::isAdapter).map(it -> it.substring(it.lastIndexOf('.') + 1)).orElse("");
  }

  private static boolean opensAnAdapter(Dependency dependency) {
    Optional<String> from = House.packageOf(dependency.getOriginClass());
    Optional<String> to = House.packageOf(dependency.getTargetClass());
    return !from.equals(to) && from.filter(House::opensAdapters).isEmpty()
        && to.filter(House::isAdapter).isPresent() && !techniqueOf(from).equals(techniqueOf(to));
  }
}
