package fleet.tower.run.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import fleet.tower.harness.Programs;
import fleet.tower.intent.StepLimits;
import fleet.tower.platform.secret.Secrets;
import fleet.tower.run.Processes.Exit;
import fleet.tower.run.Processes.Exited;
import fleet.tower.run.Processes.NotStarted;
import fleet.tower.run.Processes.Signalled;

@DisplayName("A step runs within its limits, or not at all")
class StepLimitsTest {
  private static final StepLimits NO_NETWORK = new StepLimits(null, null, null, null, false, true);
  private static final StepLimits ALL_BUT_NETWORK = new StepLimits(Duration.ofMinutes(1), 1L << 30, 1L << 20, 64, true,
      false);
  private static final int SIGXCPU = 24;
  private static final int SIGXFSZ = 25;

  @TempDir
  private Path home = Path.of("not-yet");

  private Steps steps(boolean wrapped) {
    return wrapped ? Steps.wrapped(home, Duration.ofSeconds(10)) : new Steps(home);
  }

  private static Steps.Running start(Steps steps, StepLimits limits, String... argv) {
    return steps.new Running("1-step", Secrets.NONE, Map.of(), List.of(argv), limits);
  }

  private static StepLimits limits(@Nullable Duration cpu, @Nullable Long memory, @Nullable Long fileSize,
      @Nullable Integer openFiles) {
    return new StepLimits(cpu, memory, fileSize, openFiles, true, true);
  }

  private static Exit signalled(boolean wrapped, int signal) {
    return wrapped ? new Exited(128 + signal) : new Signalled(signal);
  }

  /** Whether this machine lets this user have a network namespace. */
  private static boolean hasNamespaces() throws IOException, InterruptedException {
    return new ProcessBuilder("unshare", "--net", "--map-current-user", "true").start().waitFor() == 0;
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  @DisplayName("A process that uses more processor time is ended by SIGXCPU, or killed a second later if it ignores that")
  void cpu(boolean wrapped) {
    try (Steps steps = steps(wrapped)) {
      StepLimits second = limits(Duration.ofSeconds(1), null, null, null);

      assertThat(start(steps, second, "sh", "-c", "while :; do :; done").end())
          .isEqualTo(signalled(wrapped, SIGXCPU));
      assertThat(start(steps, second, "sh", "-c", "trap '' XCPU; while :; do :; done").end())
          .isEqualTo(signalled(wrapped, 9));
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  @DisplayName("A program gets no more memory, writes no larger file and opens no more files than its limits")
  void sizes(boolean wrapped) throws IOException {
    String[] allocate = {"dd", "if=/dev/zero", "of=/dev/null", "bs=200M", "count=1"};
    String[] open = {"bash", "-c", "for i in {1..20}; do exec {f}</dev/null || exit 3; done; ulimit -n"};
    try (Steps steps = steps(wrapped)) {
      assertThat(start(steps, StepLimits.NONE, allocate).end()).isEqualTo(new Exited(0));
      assertThat(start(steps, limits(null, 64L << 20, null, null), allocate).end()).isEqualTo(new Exited(1));

      assertThat(start(steps, limits(null, null, 4096L, null), "dd", "if=/dev/zero", "of=big", "bs=1024", "count=9")
          .end()).isEqualTo(signalled(wrapped, SIGXFSZ));
      assertThat(home.resolve("big")).hasSize(4096);

      assertThat(start(steps, limits(null, null, null, 64), open).end()).isEqualTo(new Exited(0));
      assertThat(start(steps, limits(null, null, null, 16), open).end()).isNotEqualTo(new Exited(0));
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  @DisplayName("Without a network it cannot even connect to this host; where that cannot be enforced, it is not started")
  void network(boolean wrapped) throws IOException, InterruptedException {
    try (Steps steps = steps(wrapped); ServerSocket server = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
      String[] connect = {"bash", "-c", "touch began; : </dev/tcp/127.0.0.1/" + server.getLocalPort()};
      assertThat(start(steps, StepLimits.NONE, connect).end()).isEqualTo(new Exited(0));
      Files.delete(home.resolve("began"));

      Steps.Running step = start(steps, NO_NETWORK, connect);

      if (hasNamespaces()) {
        assertThat(step.end()).isEqualTo(new Exited(1));
        assertThat(step.output()).contains("Network is unreachable");
      } else {
        assertThat(step.end()).isInstanceOfSatisfying(NotStarted.class, it -> assertThat(it.problem())
            .startsWith("the limit network: false cannot be enforced on this host (unshare"));
        assertThat(home.resolve("began")).doesNotExist();
      }
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  @DisplayName("With escalate: false the kernel gives it no more rights, and none of its children")
  void escalate(boolean wrapped) {
    try (Steps steps = steps(wrapped)) {
      Steps.Running step = start(steps, new StepLimits(null, null, null, null, true, false), "bash", "-c",
          "grep NoNewPrivs /proc/$$/status; sh -c 'grep NoNewPrivs /proc/self/status'");

      assertThat(step.end()).isEqualTo(new Exited(0));
      assertThat(step.output()).isEqualTo("NoNewPrivs:\t1\nNoNewPrivs:\t1\n");
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  @DisplayName("It is the first process of its own session, gets its arguments literally, and runs plain scripts")
  void place(boolean wrapped) throws IOException {
    Programs.write(home.resolve("-plain"), "set -- $(cat /proc/$$/stat) \"$@\"; echo $$ $5 $6\nexit 3\n");
    try (Steps steps = steps(wrapped)) {
      Steps.Running plain = start(steps, ALL_BUT_NETWORK, "./-plain");
      assertThat(plain.end()).isEqualTo(new Exited(3));
      long pid = Long.parseLong(plain.output().split(" ", -1)[0]);
      assertThat(plain.output()).isEqualTo(pid + " " + pid + " " + pid + "\n");

      Steps.Running words = steps.new Running("words", Secrets.NONE, Map.of(),
          List.of("printf", "<%s>", "a b", "", "$(id)", "--", "-c"), ALL_BUT_NETWORK);
      assertThat(words.end()).isEqualTo(new Exited(0));
      assertThat(words.output()).isEqualTo("<a b><><$(id)><--><-c>");

      assertThat(start(steps, ALL_BUT_NETWORK, "no-such-program").end()).isInstanceOf(NotStarted.class);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  @DisplayName("A stop ends all its processes, also those that left its session, in whichever namespace they are")
  void stopped(boolean wrapped) throws IOException, InterruptedException {
    String time = "97" + ProcessHandle.current().pid();
    StepLimits all = hasNamespaces()
        ? new StepLimits(Duration.ofMinutes(1), 1L << 30, 1L << 20, 64, false, false)
        : ALL_BUT_NETWORK;
    try (Steps steps = steps(wrapped)) {
      Steps.Running step = start(steps, all, "bash", "-euo", "pipefail", "-c",
          "setsid sleep " + time + " & until grep -q sleep /proc/$!/comm; do :; done; echo ready; wait");
      step.awaitOutput("ready");
      Steps.await(() -> Steps.lives("sleep\0" + time), "the process");

      step.started.stop();

      assertThat(step.end()).isNotEqualTo(new Exited(0));
      assertThat(Steps.lives("sleep\0" + time)).isFalse();
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  @DisplayName("A limit above the hard limit is not ignored: the step is not started, and is told what to do")
  void aboveHardLimit(boolean wrapped) throws IOException {
    try (Steps steps = steps(wrapped)) {
      Steps.Running step = start(steps, limits(null, null, null, 1 << 20), "sh", "-c", "touch began; ulimit -n");

      if (step.end() instanceof NotStarted(int code, String problem)) {
        assertThat(code).isEqualTo(126);
        assertThat(problem).startsWith("the limit open_files cannot be enforced on this host (sh: ")
            .contains("declare less, or raise that");
        assertThat(home.resolve("began")).doesNotExist();
      } else {
        assertThat(step.output()).isEqualTo((1 << 20) + "\n");
      }
    }
  }

  @Test
  @DisplayName("What the machine lacks is named with what it said; the same limits are tried out once")
  void unenforceable() throws IOException {
    StepLimits two = new StepLimits(Duration.ofSeconds(5), null, null, null, false, true);
    assertThat(new Confiner(home, "/nowhere").problem(two))
        .startsWith("the limit network: false cannot be enforced on this host (there is no program unshare); install");

    Programs.write(home.resolve("unshare"), "#!/bin/sh\necho unshare: no\necho >>tried\nexit 1\n");
    Confiner refusing = new Confiner(home, home.toString());
    assertThat(refusing.problem(two))
        .startsWith("the limit network: false cannot be enforced on this host (unshare: no); install util-linux");
    assertThat(refusing.problem(StepLimits.NONE)).isNull();

    Programs.write(home.resolve("setpriv"), "#!/bin/sh\necho >>asked\nshift 2\nexec \"$@\"\n");
    StepLimits escalate = new StepLimits(null, null, null, null, true, false);
    assertThat(refusing.problem(escalate)).isNull();
    assertThat(refusing.problem(escalate)).isNull();
    assertThat(Files.readString(home.resolve("asked"))).isEqualTo("\n");
  }
}
