package fleet.tower.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;

/**
 * Code that reads a clock or sleeps cannot be tested with manual time. A wait for an event with a limit, as in {@code
 * Process.waitFor} and {@code BlockingQueue.poll}, is no sleep.
 */
@DisplayName("Only platform.time reads clocks and sleeps")
class TimeArchitectureTest {
  private static final Set<String> CLOCKS = Set.of("java.lang.System.currentTimeMillis", "java.lang.System.nanoTime",
      "java.util.Calendar.getInstance", "java.time.InstantSource.system");

  private static JavaClasses fixtures = Project.classes();

  @BeforeAll
  static void compileFixtures(@TempDir Path output) {
    fixtures = Project.fixtureClasses("time", output);
  }

  @Test
  @DisplayName("No clock is read outside platform.time")
  void noClockRead() {
    assertThat(accesses(Project.classes(), TimeArchitectureTest::readsClock, TimeArchitectureTest::isTime)).isEmpty();

    assertThat(accesses(fixtures, TimeArchitectureTest::readsClock, TimeArchitectureTest::isTime)).hasSize(9)
        .anyMatch(it -> it.contains("HolderMain")).anyMatch(it -> it.contains("java.time.Instant.now()"))
        .anyMatch(it -> it.contains("references method <java.time.LocalDate.now()>"))
        .anyMatch(it -> it.contains("java.time.Clock.systemUTC()"))
        .anyMatch(it -> it.contains("java.time.InstantSource.system()"))
        .anyMatch(it -> it.contains("java.lang.System.currentTimeMillis()"))
        .anyMatch(it -> it.contains("java.lang.System.nanoTime()"))
        .anyMatch(it -> it.contains("java.util.Date.<init>()"))
        .anyMatch(it -> it.contains("java.util.Calendar.getInstance()"));
  }

  @Test
  @DisplayName("No code sleeps outside platform.time, and no timer bypasses its scheduler")
  void noSleep() {
    assertThat(accesses(Project.classes(), TimeArchitectureTest::sleeps, TimeArchitectureTest::isTime)).isEmpty();

    assertThat(accesses(fixtures, TimeArchitectureTest::sleeps, TimeArchitectureTest::isTime)).hasSize(6)
        .allMatch(it -> it.contains("Sleeps")).anyMatch(it -> it.contains("java.lang.Thread.sleep(long)"))
        .anyMatch(it -> it.contains("java.util.concurrent.TimeUnit.sleep(long)"))
        .anyMatch(it -> it.contains("java.util.concurrent.locks.LockSupport.parkNanos(long)"))
        .anyMatch(it -> it.contains("wait(long)"))
        .anyMatch(it -> it.contains("java.util.concurrent.CompletableFuture.delayedExecutor("))
        .anyMatch(it -> it.contains("java.util.Timer.schedule("));
  }

  @Test
  @DisplayName("No test sleeps, and only separate processes read a clock")
  void testsMoveTimeByHand() {
    assertThat(accesses(Project.testClasses(), TimeArchitectureTest::sleeps, TimeArchitectureTest::isTime)).isEmpty();
    assertThat(
        accesses(Project.testClasses(), TimeArchitectureTest::readsClock, TimeArchitectureTest::mayReadClockInTests))
        .isEmpty();

    assertThat(accesses(fixtures, TimeArchitectureTest::readsClock, TimeArchitectureTest::mayReadClockInTests))
        .hasSize(8).allMatch(it -> it.contains("ReadsClocks"));
  }

  @Test
  @DisplayName("No duration is calculated with BigDecimal, which a new process takes 30 ms to initialize")
  void noBigDecimal() {
    assertThat(accesses(Project.classes(), TimeArchitectureTest::usesBigDecimal, _ -> false)).isEmpty();

    assertThat(accesses(fixtures, TimeArchitectureTest::usesBigDecimal, _ -> false)).hasSize(5)
        .allMatch(it -> it.contains("CalculatesDurations"));
  }

  private static List<String> accesses(JavaClasses classes, Predicate<JavaAccess<?>> forbidden,
      Predicate<JavaClass> exempt) {
    return classes.stream().filter(exempt.negate())
        .<JavaAccess<?>>flatMap(type -> type.getCodeUnitAccessesFromSelf().stream())
        .filter(forbidden).map(JavaAccess::getDescription).toList();
  }

  private static boolean readsClock(JavaAccess<?> access) {
    String owner = access.getTargetOwner().getName();
    String name = access.getName();
    boolean asksNow = owner.startsWith("java.time.") && name.equals("now");
    boolean makesClock = owner.equals("java.time.Clock") && name.matches("(system|tick).*");
    boolean isDateOfNow = access.getTarget().getFullName().equals("java.util.Date.<init>()");
    return asksNow || makesClock || isDateOfNow || CLOCKS.contains(owner + "." + name);
  }

  private static boolean sleeps(JavaAccess<?> access) {
    JavaClass owner = access.getTargetOwner();
    String name = access.getName();
    return switch (owner.getName()) {
      case "java.util.concurrent.TimeUnit" -> Set.of("sleep", "timedWait", "timedJoin").contains(name);
      case "java.util.concurrent.locks.LockSupport" -> name.startsWith("park");
      case "java.util.concurrent.CompletableFuture" ->
        Set.of("delayedExecutor", "orTimeout", "completeOnTimeout").contains(name);
      case "java.util.Timer", "java.util.concurrent.ScheduledExecutorService",
          "java.util.concurrent.ScheduledThreadPoolExecutor" ->
        name.startsWith("schedule");
      default -> isTimedWait(access) || isThreadSleep(owner, name);
    };
  }

  private static boolean usesBigDecimal(JavaAccess<?> access) {
    return access.getTargetOwner().getName().equals("java.time.Duration")
        && Set.of("multipliedBy", "dividedBy", "negated", "abs").contains(access.getName());
  }

  private static boolean isThreadSleep(JavaClass owner, String name) {
    return name.equals("sleep") && owner.isAssignableTo(Thread.class);
  }

  private static boolean isTimedWait(JavaAccess<?> access) {
    return access.getTarget().getFullName().matches(".*\\.wait\\(long(, int)?\\)");
  }

  private static boolean isTime(JavaClass type) {
    return type.getPackageName().matches("fleet\\.tower\\.platform\\.time(\\..*)?");
  }

  /** Tests cannot move the time of separate processes. */
  private static boolean mayReadClockInTests(JavaClass type) {
    boolean isProgram = type.getName().matches(".*Main(\\$.*)?");
    return isProgram || isTime(type);
  }
}
