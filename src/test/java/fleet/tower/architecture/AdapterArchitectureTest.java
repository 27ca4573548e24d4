package fleet.tower.architecture;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.mapping;
import static java.util.stream.Collectors.toList;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
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
  private static final Set<String> ADAPTERS = Set.of(Drawing.HOUSE.packages(Drawing.Kind.ADAPTER));

  private static JavaClasses fixtures = Project.classes();

  @BeforeAll
  static void compileFixtures(@TempDir Path output) {
    fixtures = Project.fixtureClasses("adapter", output);
  }

  @Test
  @DisplayName("It shows at most one class, its factory")
  void oneFactory() {
    assertThat(adaptersShowingMore(Project.classes())).isEmpty();

    assertThat(adaptersShowingMore(fixtures)).containsExactly("fleet.tower.lock.file shows [FirstDoor, SecondDoor]");
  }

  @Test
  @DisplayName("Nobody imports it but cli, config and Main")
  void nobodyImportsAdapters() {
    assertThat(imports(Project.classes())).isEmpty();

    assertThat(imports(fixtures)).singleElement().asString().contains("HeartbeatOpensFiles",
        "fleet.tower.lock.file.FileLocks");
  }

  private static List<String> adaptersShowingMore(JavaClasses classes) {
    Map<String, List<String>> shown = classes.stream().filter(type -> ADAPTERS.contains(type.getPackageName()))
        .filter(type -> type.isTopLevelClass() && type.getModifiers().contains(JavaModifier.PUBLIC))
        .collect(groupingBy(JavaClass::getPackageName, TreeMap::new, mapping(JavaClass::getSimpleName, toList())));
    return shown.entrySet().stream().filter(entry -> entry.getValue().size() > 1)
        .map(entry -> entry.getKey() + " shows " + entry.getValue().stream().sorted().toList()).toList();
  }

  private static List<String> imports(JavaClasses classes) {
    return classes.stream().flatMap(type -> type.getDirectDependenciesFromSelf().stream())
        .filter(AdapterArchitectureTest::opensAnAdapter).map(Dependency::getDescription).toList();
  }

  private static boolean opensAnAdapter(Dependency dependency) {
    Optional<String> from = Drawing.nameOf(dependency.getOriginClass());
    Optional<String> to = Drawing.nameOf(dependency.getTargetClass());
    return !from.equals(to) && from.filter(Drawing.MAY_OPEN_ADAPTERS::contains).isEmpty()
        && to.flatMap(Drawing.HOUSE::part).filter(part -> part.kind() == Drawing.Kind.ADAPTER).isPresent();
  }
}
