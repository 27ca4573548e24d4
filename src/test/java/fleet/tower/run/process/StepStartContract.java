package fleet.tower.run.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import fleet.tower.harness.Extent;
import fleet.tower.harness.Programs;
import fleet.tower.platform.secret.Secrets;
import fleet.tower.run.Processes.Exited;
import fleet.tower.run.Processes.NotStarted;
import fleet.tower.run.Processes.Signalled;
import fleet.tower.run.StepLogs;

/** The contract of starting a step, by whichever means. */
abstract class StepStartContract {
  private static final int STEPS = Extent.of(100, 500, 500);
  private final boolean wrapped;
  @TempDir
  private Path home = Path.of("not-yet");
  private Steps steps = new Steps(Path.of("not-yet"));

  StepStartContract(boolean wrapped) {
    this.wrapped = wrapped;
  }

  @BeforeEach
  void open() {
    steps = wrapped ? Steps.wrapped(home, Duration.ofSeconds(10)) : new Steps(home);
  }

  @AfterEach
  void close() {
    steps.close();
  }

  @ParameterizedTest
  @CsvSource({"true, 0", "exit 1, 1", "exit 255, 255", "exit 126, 126", "no-such-program-anywhere, 127"})
  @DisplayName("Its exit code is reported once")
  void tellsExitCode(String script, int code) {
    Steps.Running step = steps.sh(script);

    assertThat(step.end()).isEqualTo(new Exited(code));
    steps.close();
    assertThat(step.exits).hasSize(1);
    assertThat(steps.warnings).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"TERM, 15", "KILL, 9", "SEGV, 11", "HUP, 1"})
  @DisplayName("An end by a signal is reported as such")
  void tellsSignal(String signal, int number) {
    assertThat(steps.sh("kill -s " + signal + " $$").end())
        .isEqualTo(wrapped ? new Exited(128 + number) : new Signalled(number));
  }

  @Test
  @DisplayName("A program that cannot be started has a reason: 127 if it does not exist, 126 if it cannot be run")
  void tellsWhyNot() throws IOException {
    Files.writeString(home.resolve("plain.txt"), "echo never");
    Files.createDirectory(home.resolve("dir"));

    assertThat(steps.start("no-such-program").end()).isInstanceOfSatisfying(NotStarted.class, it -> {
      assertThat(it.code()).isEqualTo(127);
      assertThat(it.problem()).startsWith("no-such-program: no such program on the path /");
    });
    assertThat(steps.start("./missing").end()).isEqualTo(new NotStarted(127, "./missing: no such file"));
    assertThat(steps.start("").end()).isEqualTo(new NotStarted(127, "the name of the program is empty"));
    assertThat(steps.start("./plain.txt").end()).isEqualTo(new NotStarted(126, "./plain.txt: permission denied"));
    assertThat(steps.start("./dir").end()).isEqualTo(new NotStarted(126, "./dir: is a directory"));
    assertThat(steps.start("echo", "a\0b").end()).isEqualTo(new NotStarted(126, "argument 1 has a NUL character"));
    assertThat(steps.log("1-step")).doesNotExist();
  }

  @Test
  @DisplayName("A script without an interpreter line is run by the shell")
  void runsPlainScript() throws IOException {
    Programs.write(home.resolve("plain"), "echo \"plain $1\"\nexit 3\n");

    Steps.Running step = steps.start("./plain", "a b");

    assertThat(step.end()).isEqualTo(new Exited(3));
    assertThat(step.output()).isEqualTo("plain a b\n");
  }

  @Test
  @DisplayName("It runs in the home, with empty input, as leader of its own session and group")
  void hasItsPlace() throws IOException {
    Steps.Running step = steps
        .sh("pwd -P; cat; set -- $(cat /proc/$$/stat); echo $$ $5 $6; ls /proc/$$/fd; true");

    assertThat(step.end()).isEqualTo(new Exited(0));
    List<String> lines = step.output().lines().toList();
    assertThat(lines.get(0)).isEqualTo(home.toRealPath().toString());
    String[] numbers = lines.get(1).split(" ", -1);
    assertThat(numbers[1]).isEqualTo(numbers[0]);
    assertThat(numbers[2]).isEqualTo(numbers[0]);
    // Without a pipe, whose ends the shell would have open for a moment; it reads its script from 10.
    assertThat(lines.subList(2, lines.size())).filteredOn(it -> !it.equals("10")).containsExactly("0", "1", "2");
  }

  @Test
  @DisplayName("Every argument is passed literally")
  void passesArguments() {
    List<String> arguments = List.of("; rm -rf /", "$(id)", "--help", "two\nlines", "", "*", "ü €", "a'b\"c\\", "`id`");

    Steps.Running step = steps.start(java.util.stream.Stream
        .concat(java.util.stream.Stream.of("printf", "<%s>"), arguments.stream()).toArray(String[]::new));

    assertThat(step.end()).isEqualTo(new Exited(0));
    assertThat(step.output()).isEqualTo(arguments.stream().map(it -> "<" + it + ">").collect(Collectors.joining()));
  }

  @Test
  @DisplayName("It has the executor's environment without private variables, its own variables, and a mark")
  void hasItsEnvironment() {
    Steps.Running step = steps.new Running("1-step", Secrets.NONE,
        Map.of("TOWER_ACTOR", "ann", "PARAM_X", "a b\nc", "LANG", "xx"), List.of("env", "-0"));
    assertThat(step.end()).isEqualTo(new Exited(0));

    Map<String, String> expected = new java.util.HashMap<>(System.getenv());
    expected.keySet().removeIf(name -> !Launch.isInherited(name));
    expected.putAll(Map.of("TOWER_ACTOR", "ann", "PARAM_X", "a b\nc", "LANG", "xx"));
    Map<String, String> seen = Arrays.stream(step.output().split("\0", -1)).filter(it -> !it.isEmpty())
        .collect(Collectors.toMap(it -> it.substring(0, it.indexOf('=')), it -> it.substring(it.indexOf('=') + 1)));
    assertThat(seen.remove("TOWER_STEP_ID")).matches("[0-9a-f]{16}\\.1\\.");
    assertThat(new TreeSet<>(seen.keySet())).isEqualTo(new TreeSet<>(expected.keySet()));
    assertThat(seen).containsEntry("LANG", "xx").containsEntry("PARAM_X", "a b\nc").containsEntry("PATH",
        System.getenv("PATH"));
  }

  @Test
  @DisplayName("It inherits no credential, and no variable that changes how bash reads scripts")
  void dropsVariables() throws IOException {
    Path environ = Files.writeString(home.resolve("environ"), "PATH=/bin\0TOWER_TOKEN=t\0TOWER_DATABASE_PASSWORD=p\0"
        + "PARAM_OLD=o\0BASH_ENV=x\0ENV=x\0BASH_FUNC_ls%%=() { id; }\0SHELLOPTS=x\0BASHOPTS=x\0PS4=$(id)\0LD_LIBRARY_PATH=/l\0"
        + "SPRING_DATASOURCE_PASSWORD=p\0SERVER_SSL_KEY_STORE_PASSWORD=p\0MANAGEMENT_OTLP_TRACING_HEADERS_AUTHORIZATION=p\0"
        + "PGPASSWORD=p\0PGHOST=h\0OTEL_EXPORTER_OTLP_HEADERS=p\0OTEL_EXPORTER_OTLP_TRACES_HEADERS=p\0OTEL_SERVICE_NAME=n\0"
        + "EMPTY=\0raw=\u00ff\0", StandardCharsets.ISO_8859_1);

    Map<String, byte[]> kept = NativeSpawner.inheritedEnvironment(environ);

    assertThat(kept).containsOnlyKeys("PATH", "LD_LIBRARY_PATH", "OTEL_SERVICE_NAME", "EMPTY", "raw");
    assertThat(kept.get("raw")).isEqualTo(new byte[]{'r', 'a', 'w', '=', (byte) 0xff});
  }

  @Test
  @DisplayName("Fifty concurrent steps each have their own output")
  void runsManyAtOnce() {
    List<Steps.Running> all = IntStream.range(0, 50)
        .mapToObj(i -> steps.named("step-" + i, "sh", "-c", "sleep 0.2; echo " + i)).toList();

    for (int i = 0; i < all.size(); i++) {
      assertThat(all.get(i).end()).isEqualTo(new Exited(0));
      assertThat(all.get(i).output()).isEqualTo(i + "\n");
    }
  }

  @Test
  @DisplayName("Names that lead out of the log directory are rejected")
  void refusesNames() {
    for (String name : List.of("..", ".", "a/b", "", "../x", "a\nb")) {
      assertThatThrownBy(() -> steps.named(name, "true")).isInstanceOf(IllegalStateException.class);
      assertThatThrownBy(() -> steps.processes.tail(Steps.RUN, name)).isInstanceOf(IllegalStateException.class);
    }
  }

  @Test
  @DisplayName("Hundreds of steps leave no file descriptor, no zombie and few threads")
  void leavesNothing() throws IOException {
    assertThat(steps.start("true").end()).isEqualTo(new Exited(0));
    int before = descriptors();
    int threads = Thread.activeCount();
    for (int i = 0; i < STEPS; i++) {
      assertThat(steps.start(i % 10 == 0 ? "no-such-program" : "true").end()).isNotInstanceOf(Signalled.class);
    }
    Steps.await(() -> descriptors() <= before + 2, "as many descriptors as before");
    // Threads and children of other tests may end just now.
    Steps.await(() -> Thread.activeCount() < threads + 20, "about as many threads as before");
    Steps.await(() -> ProcessHandle.current().children().noneMatch(child -> state(child.pid()).equals("Z")),
        "no child that was not reaped");
  }

  private static int descriptors() {
    String[] names = Path.of("/proc/self/fd").toFile().list();
    return names == null ? 0 : names.length;
  }

  private static String state(long pid) {
    try {
      String stat = Files.readString(Path.of("/proc/" + pid + "/stat"));
      return stat.substring(stat.lastIndexOf(')') + 2).substring(0, 1);
    } catch (IOException gone) {
      return "";
    }
  }

  @Test
  @DisplayName("Output is read in parts from any byte; without output it is empty")
  void readsInPieces() {
    assertThat(steps.processes.tail(Steps.RUN, "never")).isEmpty();
    assertThat(steps.processes.read(Steps.RUN, "never", 7, 10).next()).isEqualTo(7);
    Steps.Running step = steps.start("printf", "0123456789");
    assertThat(step.end()).isEqualTo(new Exited(0));

    StepLogs.Output piece = steps.processes.read(Steps.RUN, "1-step", 4, 3);

    assertThat(piece.bytes()).isEqualTo("456".getBytes(StandardCharsets.US_ASCII));
    assertThat(piece.next()).isEqualTo(7);
    assertThat(steps.processes.read(Steps.RUN, "1-step", 10, 3).bytes()).isEmpty();
  }
}
