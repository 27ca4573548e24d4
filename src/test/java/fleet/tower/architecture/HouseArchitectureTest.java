package fleet.tower.architecture;

import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiPredicate;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;

@DisplayName("Dependencies between packages are as drawn")
class HouseArchitectureTest {
  /** Everything that a core package may use from outside the house. */
  private static final Set<String> PLAIN_PACKAGES = Set.of("java.lang", "java.util", "java.time", "java.math",
      "java.security", "java.text", "java.nio.charset", "org.jspecify.annotations");

  /** Types of other packages that are values, not I/O. */
  private static final Set<String> PLAIN_TYPES = Set.of("java.io.UncheckedIOException", "java.io.IOException",
      "java.io.Serializable");

  private static final Set<String> FRAMEWORKS = Set.of("org.springframework.", "jakarta.servlet.", "io.micrometer.",
      "io.opentelemetry.", "org.apache.catalina.", "org.apache.tomcat.", "org.apache.coyote.", "tools.jackson.",
      "com.fasterxml.");

  private static JavaClasses fixtures = Project.classes();

  @BeforeAll
  static void compileFixtures(@TempDir Path output) {
    fixtures = Project.fixtureClasses("dependency", output);
  }

  @Test
  @DisplayName("Each room uses only rooms below it")
  void drawingIsSound() {
    assertThat(House.DRAWN.mistakes()).isEmpty();

    House wrong = new House(List.of(new House.Room("lock", Set.of("lease")), new House.Room("lease", Set.of("lock")),
        new House.Room("lease", Set.of())));
    assertThat(wrong.mistakes()).containsExactly("lock uses lease, which is not below it", "lease is drawn twice");
  }

  @Test
  @DisplayName("Every package belongs to a room and uses only its own room and the rooms drawn for it")
  void roomsUseWhatIsDrawn() {
    assertThat(notDrawn(Project.classes())).isEmpty();

    assertThat(notDrawn(fixtures)).containsExactlyInAnyOrder(
        "fleet.tower.surprise.Undrawn is in no room",
        "fleet.tower.lease.LeaseKnowsLock may not use fleet.tower.lock.LockStore",
        "fleet.tower.cli.CliKnowsService may not use fleet.tower.service.web.WebConfiguration",
        "fleet.tower.service.ServiceKnowsCli may not use fleet.tower.cli.Tower");
  }

  @Test
  @DisplayName("Packages form no cycles, not even within a room")
  void noCycles(@TempDir Path output) {
    assertThat(cycles(Project.classes())).isEmpty();

    assertThat(cycles(Project.fixtureClasses("cycle", output))).singleElement().asString()
        .contains("lock.chicken", "lock.egg");
  }

  @Test
  @DisplayName("A core package uses only plain types of the JDK, JSpecify and the house")
  void coreIsPlain() {
    assertThat(notPlain(Project.classes())).isEmpty();

    assertThat(notPlain(fixtures)).containsExactlyInAnyOrder(
        "fleet.tower.lease.LeaseReadsFiles may not use java.nio.file.Path",
        "fleet.tower.lease.LeaseReadsFiles may not use java.io.FileReader",
        "fleet.tower.lock.LockAsksDatabase may not use java.sql.Connection",
        "fleet.tower.run.submit.RunCountsMetrics may not use io.micrometer.core.instrument.MeterRegistry");
  }

  @Test
  @DisplayName("Spring, servlets, Jackson, Micrometer and OpenTelemetry are in the service and in access.oidc only")
  void frameworksHaveOnePlace(@TempDir Path output) {
    assertThat(frameworks(Project.classes())).isEmpty();

    assertThat(frameworks(Project.fixtureClasses("framework", output)))
        .containsExactly("fleet.tower.cli.CliStartsSpring may not use org.springframework.boot.SpringApplication");
  }

  @Test
  @DisplayName("The calls of the service and the protocol of MCP run without Spring, servlets and Jackson")
  void callsArePlain(@TempDir Path output) {
    assertThat(springBound(Project.classes())).isEmpty();

    assertThat(springBound(Project.fixtureClasses("framework", output))).containsExactlyInAnyOrder(
        "fleet.tower.service.call.CallAnswersSpring may not use org.springframework.http.ResponseEntity",
        "fleet.tower.service.call.CallAnswersSpring may not use fleet.tower.service.web.http.Json",
        "fleet.tower.service.mcp.wire.WireReadsJackson may not use tools.jackson.databind.json.JsonMapper");
  }

  @Test
  @DisplayName("Only adapters and the packages that open them use disk, SQL, processes and YAML")
  void supportIsForAdapters() {
    assertThat(support(Project.classes())).isEmpty();

    assertThat(support(fixtures))
        .containsExactly("fleet.tower.run.submit.RunOpensDatabase may not use fleet.tower.platform.sql.Database");
  }

  private static List<String> notDrawn(JavaClasses classes) {
    List<String> found = new ArrayList<>();
    for (JavaClass type : classes) {
      String room = House.roomOf(House.packageOf(type).orElseThrow());
      if (!room.isEmpty() && House.DRAWN.room(room).isEmpty()) {
        found.add(type.getName() + " is in no room");
      }
    }
    found.addAll(uses(classes, (from, to) -> {
      Optional<House.Room> room = House.DRAWN.room(House.roomOf(from));
      Optional<String> used = House.packageOf(to).map(House::roomOf);
      return room.isPresent() && used.isPresent() && !used.get().equals(room.get().name())
          && !room.get().used().contains(used.get());
    }));
    return found;
  }

  private static List<String> cycles(JavaClasses classes) {
    return slices().matching("fleet.tower.(**)").should().beFreeOfCycles().allowEmptyShould(true).evaluate(classes)
        .getFailureReport().getDetails();
  }

  private static List<String> notPlain(JavaClasses classes) {
    return uses(classes, (from, to) -> House.isCore(from) && House.packageOf(to).isEmpty() && !to.isPrimitive()
        && PLAIN_PACKAGES.stream().noneMatch(plain -> isWithin(to.getPackageName(), plain))
        && !PLAIN_TYPES.contains(to.getName()));
  }

  private static boolean isWithin(String name, String around) {
    return name.equals(around) || name.startsWith(around + ".");
  }

  private static List<String> frameworks(JavaClasses classes) {
    return uses(classes, (from, to) -> !House.roomOf(from).equals("service") && !from.equals("access.oidc")
        && FRAMEWORKS.stream().anyMatch(to.getName()::startsWith));
  }

  private static List<String> springBound(JavaClasses classes) {
    return uses(classes, (from, to) -> House.isWithoutSpring(from)
        && (FRAMEWORKS.stream().anyMatch(to.getName()::startsWith) || House.packageOf(to)
            .filter(used -> House.roomOf(used).equals("service") && !House.isWithoutSpring(used)).isPresent()));
  }

  private static List<String> support(JavaClasses classes) {
    return uses(classes, (from, to) -> House.isCore(from)
        && House.packageOf(to).filter(House::isForAdapters).isPresent());
  }

  /** Each class with each other class that it must not use but uses. */
  private static List<String> uses(JavaClasses classes, BiPredicate<String, JavaClass> forbidden) {
    return classes.stream().flatMap(type -> {
      String from = House.packageOf(type).orElseThrow();
      return type.getDirectDependenciesFromSelf().stream().map(Dependency::getTargetClass)
          .map(JavaClass::getBaseComponentType).filter(to -> forbidden.test(from, to))
          .map(to -> type.getName() + " may not use " + to.getName());
    }).distinct().sorted().toList();
  }
}
