package fleet.tower.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;

/** What a model reads has passed one filter, because nothing else of that door can write to a client. */
@DisplayName("Whatever reaches a model is a SentMessage")
class ModelTextArchitectureTest {
  private static final String DOOR = "fleet.tower.service.mcp";
  private static final String MESSAGE = DOOR + ".wire.SentMessage";
  /** Answers with the OAuth metadata, which clients read, and not models. */
  private static final String METADATA = DOOR + ".http.MetadataController";
  private static final Set<String> BODIES = Set.of("org.springframework.http.ResponseEntity",
      "org.springframework.web.servlet.mvc.method.annotation.SseEmitter", "fleet.tower.service.web.http.Json");

  private static JavaClasses fixtures = Project.classes();

  @BeforeAll
  static void compileFixtures(@TempDir Path output) {
    fixtures = Project.fixtureClasses("model", output);
  }

  @Test
  @DisplayName("Only it writes to streams in the packages of MCP")
  void oneWriter() {
    assertThat(writes(Project.classes())).isEmpty();

    assertThat(writes(fixtures)).hasSize(3).allMatch(it -> it.contains("BypassesFilter"));
  }

  @Test
  @DisplayName("No handler of MCP answers with a body that Spring writes, except the OAuth metadata")
  void noBodies() {
    assertThat(bodies(Project.classes())).isEmpty();

    assertThat(bodies(fixtures)).isNotEmpty().allMatch(it -> it.contains("BypassesFilter"));
  }

  private static Stream<JavaClass> ofDoor(JavaClasses classes, String exempt) {
    return classes.stream().filter(type -> (type.getPackageName() + ".").startsWith(DOOR + "."))
        .filter(type -> !type.getName().equals(exempt));
  }

  private static List<String> writes(JavaClasses classes) {
    return ofDoor(classes, MESSAGE).<JavaAccess<?>>flatMap(type -> type.getCodeUnitAccessesFromSelf().stream())
        .filter(ModelTextArchitectureTest::isWrite).map(JavaAccess::getDescription).toList();
  }

  private static boolean isWrite(JavaAccess<?> access) {
    String owner = access.getTargetOwner().getName();
    return owner.matches("(java|jakarta)\\..*(Stream|Writer)") && !owner.equals("java.io.ByteArrayOutputStream")
        && access.getName().matches("write.*|append|print.*|format");
  }

  private static List<String> bodies(JavaClasses classes) {
    return ofDoor(classes, METADATA).flatMap(type -> type.getDirectDependenciesFromSelf().stream())
        .filter(dependency -> BODIES.contains(dependency.getTargetClass().getName()))
        .map(Dependency::getDescription).toList();
  }
}
