package fleet.tower.architecture;

import static java.util.stream.Collectors.toMap;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.domain.JavaModifier;

import fleet.tower.access.Role;
import fleet.tower.answer.Answer;
import fleet.tower.service.call.Needs;

@DisplayName("The roles of the service's calls")
class CallRolesTest {
  /** The calls that declare a role, by their full names. */
  private static final Map<String, JavaMethod> CALLS = Project.classes().stream()
      .filter(type -> type.getPackageName().startsWith("fleet.tower.service.call."))
      .flatMap(type -> type.getMethods().stream()).filter(method -> needed(method).isPresent())
      .collect(toMap(JavaMethod::getFullName, method -> method));

  @Test
  @DisplayName("A handler of HTTP needs the role that its calls need")
  void handlers(@TempDir Path output) {
    List<String> checked = new ArrayList<>();
    assertThat(mistakes(Project.classes(), checked)).isEmpty();
    assertThat(new TreeSet<>(checked)).as("a rule that checks nothing would always hold").hasSizeGreaterThan(8)
        .contains("RunController.one needs viewer");

    assertThat(mistakes(Project.fixtureClasses("role", output), new ArrayList<>())).containsExactlyInAnyOrder(
        "OpenDoor.asksTooLittle needs viewer, but RunCalls.beat needs agent",
        "OpenDoor.asksNothing needs nothing, but RunCalls.find needs viewer");
  }

  @Test
  @DisplayName("Every call that answers declares its role")
  void declared() {
    List<String> without = new ArrayList<>();
    List<String> with = new ArrayList<>();
    for (JavaClass type : Project.classes()) {
      for (JavaMethod method : type.getMethods()) {
        if (type.getSimpleName().endsWith("Calls") && type.getPackageName().startsWith("fleet.tower.service.call.")
            && method.getModifiers().contains(JavaModifier.PUBLIC)
            && method.getRawReturnType().isEquivalentTo(Answer.class)) {
          (needed(method).isPresent() ? with : without).add(name(method));
        }
      }
    }
    assertThat(without).isEmpty();
    assertThat(with).as("a rule that checks nothing would always hold").contains("RunCalls.run");
  }

  /** The handlers that declare another role than the highest of their calls. */
  private static List<String> mistakes(JavaClasses doors, List<String> checked) {
    List<String> mistakes = new ArrayList<>();
    for (JavaClass door : doors) {
      for (JavaMethod handler : door.getMethods()) {
        highest(handler).ifPresent(call -> {
          String asked = needed(handler).map(Role::toString).orElse("nothing");
          String needed = needed(call).map(Role::toString).orElseThrow();
          if (asked.equals(needed)) {
            checked.add(name(handler) + " needs " + asked);
          } else {
            mistakes.add(name(handler) + " needs " + asked + ", but " + name(call) + " needs " + needed);
          }
        });
      }
    }
    return mistakes;
  }

  /** The call with the highest role that a method makes. */
  private static Optional<JavaMethod> highest(JavaMethod handler) {
    return handler.getMethodCallsFromSelf().stream()
        .flatMap(made -> Optional.ofNullable(CALLS.get(made.getTarget().getFullName())).stream())
        .filter(call -> !call.getOwner().getPackageName().equals(handler.getOwner().getPackageName()))
        .reduce((highest, call) -> covers(highest, call) ? highest : call);
  }

  private static boolean covers(JavaMethod call, JavaMethod other) {
    return needed(call).orElseThrow().covers(needed(other).orElseThrow());
  }

  private static Optional<Role> needed(JavaMethod method) {
    return method.tryGetAnnotationOfType(Needs.class).map(Needs::value);
  }

  private static String name(JavaMethod method) {
    return method.getOwner().getSimpleName() + "." + method.getName();
  }
}
