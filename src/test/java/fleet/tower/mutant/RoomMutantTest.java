package fleet.tower.mutant;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.harness.Await;
import fleet.tower.harness.JavaProcess;
import fleet.tower.harness.LongProfile;
import fleet.tower.harness.TestFiles;
import fleet.tower.platform.sql.PostgresServer;

@DisplayName("The tests of each room find the bugs that are put into it on purpose")
@LongProfile
class RoomMutantTest {
  /** Which mutants to run, for who writes one. */
  private static final String NAMED = System.getProperty("mutants.named", ".*");
  private static final String PLACES = "access/Places";
  /** More than there are processors, because some bugs let tests wait. */
  private static final int AT_ONCE = 3;
  private static final int LONGEST = 160;
  private static final Duration MOST = Duration.ofMinutes(20);
  /** A test that a bug lets wait for ever fails after this time; without a bug, after the usual one. */
  private static final String TEST_TIMEOUT = "-Djunit.jupiter.execution.timeout.default=30 s";

  @TempDir
  Path directory;

  @Test
  @Timeout(3600)
  @DisplayName("At least one of the named tests fails with each mutant, and all of them pass without")
  void everyMutantIsCaught() throws Exception {
    List<RoomMutant> mutants = RoomMutants.all().stream().filter(it -> it.toString().matches(NAMED)).toList();
    assertThat(mutants).extracting(RoomMutant::toString).doesNotHaveDuplicates();
    List<String> tests = List.copyOf(new TreeSet<>(mutants.stream().flatMap(it -> it.tests().stream()).toList()));

    List<Verdict> missed = new ArrayList<>();
    try (ExecutorService threads = Executors.newFixedThreadPool(AT_ONCE)) {
      Future<List<String>> sound = threads.submit(() -> run("sound", Map.of(), tests));
      List<Future<Verdict>> verdicts = mutants.stream().map(it -> threads.submit(() -> verdictOn(it))).toList();
      for (Future<Verdict> verdict : verdicts) {
        System.out.println(verdict.get());
        if (verdict.get().isMissed()) {
          missed.add(verdict.get());
        }
      }
      List<String> ended = sound.get();
      assertThat(ended).allMatch(line -> line.startsWith(TestRun.PASSED) || line.startsWith(TestRun.ABORTED));
      assertThat(tests).as("tests that run")
          .allMatch(test -> ended.stream().map(line -> line.replaceFirst("^\\w+ ", ""))
              .anyMatch(ran -> ran.equals(test) || ran.startsWith(test + "#")));
    }
    assertThat(missed).isEmpty();
  }

  @Test
  @DisplayName("A mutant that no test finds, that is no change, or whose tests do not run, fails the build")
  void nothingElseCounts() throws IOException {
    String test = "access/PlacesTest#reserve";
    String there = "taken >= limit - reserve";
    isMissed(RoomMutant.of("the same", PLACES, there, "taken > limit - reserve - 1", test), "SURVIVED");
    isMissed(RoomMutant.of("gone", PLACES, "no such text", "", test),
        "NO MUTANT: gone: access/Places must hold exactly once, but does not:\nno such text");
    isMissed(RoomMutant.of("twice", PLACES, "limit", "", test),
        "NO MUTANT: twice: access/Places must hold exactly once");
    isMissed(RoomMutant.of("no Java", PLACES, there, "taken >=", test), "NO MUTANT: no Java does not compile: ");
    isMissed(RoomMutant.of("no such test", PLACES, there, "taken < limit", "access/PlacesTest#gone"),
        "NO MUTANT: no test is named [access/PlacesTest#gone]");
    isMissed(RoomMutant.of("no such class", PLACES, there, "taken < limit", "access/GoneTest"), TestRun.UNLOADED);
    isMissed(RoomMutant.of("not loaded", "access/Generation", "Generation until(Instant latest)",
        "Generation endingAt(Instant latest)", "access/file/FileTokensContractTest#rotated"), TestRun.UNLOADED);
  }

  private void isMissed(RoomMutant mutant, String why) throws IOException {
    Verdict verdict = verdictOn(mutant);
    assertThat(verdict.text()).startsWith(why);
    assertThat(verdict.isMissed()).isTrue();
  }

  /** What became of a mutant. */
  private record Verdict(RoomMutant mutant, String text) {
    boolean isMissed() {
      return !text.startsWith(TestRun.FAILED) && !text.startsWith(TestRun.ABORTED);
    }

    @Override
    public String toString() {
      return String.format("%-72s %s", mutant, text.substring(0, Math.min(LONGEST, text.length())));
    }
  }

  private Verdict verdictOn(RoomMutant mutant) throws IOException {
    try {
      Map<String, byte[]> code = MutationCompiler.compileWithUsers(mutant.mutation());
      List<String> lines = run(mutant.toString(), code, mutant.tests());
      return new Verdict(mutant, lines.stream().filter(line -> !line.startsWith(TestRun.PASSED)).findFirst()
          .orElse(lines.isEmpty() ? "NO MUTANT: no test is named " + mutant.tests() : "SURVIVED"));
    } catch (IllegalStateException notABug) {
      return new Verdict(mutant, "NO MUTANT: " + notABug.getMessage());
    }
  }

  /** Runs tests in a JVM with some changed classes; returns a line for each. */
  private List<String> run(String name, Map<String, byte[]> changed, List<String> tests) throws IOException {
    Path place = directory.resolve(name.replaceAll("\\W+", "-"));
    for (Map.Entry<String, byte[]> type : changed.entrySet()) {
      Path file = place.resolve(type.getKey().replace('.', '/') + ".class");
      Files.createDirectories(file.resolveSibling(""));
      Files.write(file, type.getValue());
    }
    Files.createDirectories(place);
    Path lines = place.resolve("lines");
    Path output = place.resolve("output");
    Process process = new ProcessBuilder(command(place, !changed.isEmpty(), lines, tests)).redirectErrorStream(true)
        .redirectOutput(output.toFile()).start();
    Await.exitOf(process, MOST);
    if (!Files.exists(lines)) {
      throw new IllegalStateException("no test could be run:\n" + TestFiles.text(output));
    }
    return Files.readAllLines(lines);
  }

  private static List<String> command(Path classes, boolean isChanged, Path lines, List<String> tests) {
    List<String> command = new ArrayList<>(List.of(JavaProcess.JAVA, "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC",
        "-Xmx512m", "-Dslf4j.internal.verbosity=ERROR", "--enable-native-access=ALL-UNNAMED",
        PostgresServer.lent()));
    if (isChanged) {
      command.add(TEST_TIMEOUT);
    }
    for (String property : List.of("project.basedir", "project.version", "maven.repository")) {
      command.add("-D" + property + "=" + System.getProperty(property));
    }
    command.addAll(List.of("-cp", classes + System.getProperty("path.separator")
        + System.getProperty("java.class.path"), TestRun.class.getName(), lines.toString()));
    command.addAll(tests);
    return command;
  }
}
