package fleet.tower.architecture;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;

@DisplayName("Dependencies run as drawn")
class DependencyArchitectureTest {
  private static final ArchRule AS_DRAWN = classes().should(new UseWhatIsDrawn(Drawing.HOUSE));

  private static final ArchRule CORE_IS_PURE = noClasses().that()
      .resideInAnyPackage(Drawing.HOUSE.packages(Drawing.Kind.CORE)).should()
      .dependOnClassesThat(DescribedPredicate.describe("are a framework, a mapper, SQL or files",
          DependencyArchitectureTest::isOfTheOutsideWorld));

  private static final ArchRule LEASE_IS_PUREST = classes().that().resideInAPackage("fleet.tower.lease").should()
      .onlyDependOnClassesThat()
      .resideInAnyPackage("java..", "org.jspecify..", "fleet.tower.lease", "fleet.tower.platform.time");

  private static JavaClasses fixtures = Project.classes();

  @BeforeAll
  static void compileFixtures(@TempDir Path output) {
    fixtures = Project.fixtureClasses("dependency", output);
  }

  @Test
  @DisplayName("The drawing has no cycle, and only those who compose the house use an adapter")
  void drawingIsSound() {
    assertThat(Drawing.HOUSE.mistakes()).isEmpty();

    Drawing wrong = new Drawing(List.of(Drawing.core("lock").uses("lease", "lock.file"),
        Drawing.core("lease").uses("lock"), Drawing.adapter("lock.file"), Drawing.adapter("odd"),
        Drawing.core("lease")));
    assertThat(wrong.mistakes()).contains("lock uses lease, which does not stand above it",
        "lock uses the adapter lock.file", "lease is drawn twice",
        "odd: an adapter, and nothing else, stands below the package of its port");
  }

  @Test
  @DisplayName("Every package is drawn and uses what is drawn for it")
  void dependenciesAreDrawn() {
    assertThat(violations(AS_DRAWN, Project.classes())).isEmpty();

    assertThat(violations(AS_DRAWN, fixtures)).hasSize(3)
        .anySatisfy(it -> assertThat(it).contains("package surprise of fleet.tower.surprise.Undrawn is not drawn"))
        .anySatisfy(it -> assertThat(it).contains("lease may not use lock:", "LeaseKnowsLock", "LockStore"))
        .anySatisfy(it -> assertThat(it).contains("lock may not use lock.file:", "LockKnowsFiles", "FileLocks"));
  }

  @Test
  @DisplayName("The core knows no Spring, no Jackson, no SQL and no files")
  void coreIsPure() {
    assertThat(violations(CORE_IS_PURE, Project.classes())).isEmpty();

    assertThat(violations(CORE_IS_PURE, fixtures))
        .anySatisfy(it -> assertThat(it).contains("LeaseReadsFiles", "java.nio.file.Path"))
        .anySatisfy(it -> assertThat(it).contains("LeaseReadsFiles", "java.io.FileReader"))
        .anySatisfy(it -> assertThat(it).contains("LockAsksDatabase", "java.sql.Connection"));
    assertThat(List.of("org.springframework.stereotype.Service", "tools.jackson.databind.ObjectMapper",
        "com.fasterxml.jackson.annotation.JsonProperty", "javax.sql.DataSource", "java.io.RandomAccessFile"))
        .allMatch(DependencyArchitectureTest::isOfTheOutsideWorld);
  }

  @Test
  @DisplayName("The rules of a lease know the JDK, JSpecify and time, and nothing else")
  void leaseIsPurest() {
    assertThat(violations(LEASE_IS_PUREST, Project.classes())).isEmpty();

    assertThat(violations(LEASE_IS_PUREST, fixtures))
        .anySatisfy(it -> assertThat(it).contains("LeaseKnowsLock", "fleet.tower.lock.LockStore"));
  }

  static List<String> violations(ArchRule rule, JavaClasses classes) {
    return rule.allowEmptyShould(true).evaluate(classes).getFailureReport().getDetails();
  }

  private static boolean isOfTheOutsideWorld(JavaClass type) {
    return isOfTheOutsideWorld(type.getBaseComponentType().getName());
  }

  private static boolean isOfTheOutsideWorld(String type) {
    return type.matches("(org\\.springframework|tools\\.jackson|com\\.fasterxml|javax?\\.sql|java\\.nio\\.file)\\..*"
        + "|java\\.io\\.(File|RandomAccessFile).*");
  }

  private static final class UseWhatIsDrawn extends ArchCondition<JavaClass> {
    private final Drawing drawing;

    UseWhatIsDrawn(Drawing drawing) {
      super("use what is drawn for their package");
      this.drawing = drawing;
    }

    @Override
    public void check(JavaClass type, ConditionEvents events) {
      String name = Drawing.nameOf(type).orElseThrow();
      Set<String> allowed = drawing.part(name).map(Drawing.Part::used).orElse(Set.of());
      if (drawing.part(name).isEmpty()) {
        violated(type, "package " + name + " of " + type.getName() + " is not drawn", events);
      }
      used(type).forEach((used, classes) -> {
        if (!used.equals(name) && !allowed.contains(used)) {
          violated(type, name + " may not use " + used + ": " + type.getName() + " uses " + classes, events);
        }
      });
    }

    private static void violated(JavaClass type, String message, ConditionEvents events) {
      events.add(SimpleConditionEvent.violated(type, message));
    }

    /** The classes of the house that a class depends on, by their packages. */
    private static Map<String, Set<String>> used(JavaClass type) {
      Map<String, Set<String>> used = new TreeMap<>();
      for (Dependency dependency : type.getDirectDependenciesFromSelf()) {
        JavaClass target = dependency.getTargetClass();
        Drawing.nameOf(target)
            .ifPresent(name -> used.computeIfAbsent(name, _ -> new TreeSet<>()).add(target.getName()));
      }
      return used;
    }
  }
}
