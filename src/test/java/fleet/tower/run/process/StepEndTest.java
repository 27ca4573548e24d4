package fleet.tower.run.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import fleet.tower.harness.ProofsProfile;
import fleet.tower.platform.secret.Secrets;
import fleet.tower.run.Processes;
import fleet.tower.run.Processes.Exited;
import fleet.tower.run.Processes.Signalled;

@DisplayName("When a step ends, none of its processes continues")
class StepEndTest {
  @TempDir
  private Path home = Path.of("not-yet");

  private Steps steps(boolean wrapped, Duration grace) {
    return wrapped ? Steps.wrapped(home, grace) : new Steps(home, grace, Steps.MOST_OUTPUT);
  }

  /** A sleep time that no other command line of this machine has. */
  private static String unlikely(int digit) {
    return "9" + digit + ProcessHandle.current().pid();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  @DisplayName("Processes left in its group are ended and named before its end is reported")
  void endsLeftovers(boolean wrapped) {
    String time = unlikely(1);
    try (Steps steps = steps(wrapped, Duration.ofSeconds(10))) {
      Steps.Running step = steps.sh("sleep " + time + " & a=$!; sleep " + time + " >/dev/null 2>&1 & b=$!;"
          + " until grep -q sleep /proc/$a/comm && grep -q sleep /proc/$b/comm; do :; done; echo done; exit 4");

      assertThat(step.end()).isEqualTo(new Exited(4));
      assertThat(Steps.lives("sleep\0" + time)).isFalse();
      assertThat(step.output()).matches(
          "done\n\\[tower] ended what the step had left running: sleep \\(\\d+\\), sleep \\(\\d+\\)\n");
      assertThat(steps.warnings).singleElement().asString()
          .startsWith("run req_1.a:b, 1-step: ended what the step had left running: sleep (");
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  @DisplayName("A background child that ignores TERM and holds the pipe is killed")
  void killsStubbornLeftovers(boolean wrapped) {
    String time = unlikely(2);
    try (Steps steps = steps(wrapped, Duration.ofMillis(300))) {
      Steps.Running step = steps.sh("(trap '' TERM; echo deaf >deaf; sleep " + time + "; sleep " + time
          + ") & until [ -s deaf ]; do :; done");

      assertThat(step.end()).isEqualTo(new Exited(0));
      assertThat(Steps.lives("sleep\0" + time)).isFalse();
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  @DisplayName("A daemon in a session of its own survives the end of the step, even if it holds the pipe")
  void leavesDaemonAlone(boolean wrapped) {
    String time = unlikely(3);
    try (Steps steps = steps(wrapped, Duration.ofMillis(300))) {
      Steps.Running step = steps.sh("setsid sleep " + time
          + " & until grep -qx sleep /proc/$!/comm; do :; done; echo done");

      assertThat(step.end()).isEqualTo(new Exited(0));
      assertThat(step.output()).isEqualTo("done\n");
      assertThat(Steps.lives("sleep\0" + time)).isTrue();
      step.started.stop();
      assertThat(Steps.lives("sleep\0" + time)).isTrue();
    } finally {
      daemons(time).forEach(ProcessHandle::destroyForcibly);
    }
  }

  private static Stream<ProcessHandle> daemons(String time) {
    return ProcessHandle.allProcesses().filter(process -> process.info().arguments()
        .filter(arguments -> List.of(arguments).contains(time)).isPresent());
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  @DisplayName("The wait for a step can be woken before it begins, and while the step prints without a pause")
  void wakes(boolean wrapped) throws IOException {
    try (Steps steps = steps(wrapped, Duration.ofSeconds(10))) {
      CompletableFuture<Processes.Exit> exit = new CompletableFuture<>();
      Processes.Started step = steps.processes.start(new Processes.Command(Steps.RUN, "loud",
          List.of("sh", "-c", "while echo on; [ ! -e go ]; do :; done; echo off"), Map.of(), Secrets.NONE),
          exit::complete);
      step.wake();
      step.await();
      assertThat(exit).isNotDone();
      CompletableFuture<Void> waking = CompletableFuture.runAsync(step::wake);
      step.await();
      assertThat(exit).isNotDone();
      waking.join();

      Files.createFile(home.resolve("go"));
      while (!exit.isDone()) {
        step.await();
      }
      assertThat(exit).isCompletedWithValue(new Exited(0));
      assertThat(steps.processes.tail(Steps.RUN, "loud")).endsWith("on\noff");
      step.wake();
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  @DisplayName("A stop leaves time for a graceful exit")
  void stopsInOrder(boolean wrapped) {
    try (Steps steps = steps(wrapped, Duration.ofSeconds(30))) {
      Steps.Running step = steps
          .sh("trap 'sleep 0.3; echo tidied; exit 9' TERM; echo ready; while :; do sleep 0.1; done");
      String ready = step.awaitOutput("ready");
      assertThat(ready).isEqualTo("ready\n");

      step.started.stop();

      assertThat(step.end()).isEqualTo(new Exited(9));
      // The shell reports that a signal ended its child.
      assertThat(step.output()).matches("ready\n(Terminated *\n)?tidied\n");
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  @DisplayName("A stop ends a tree that ignores TERM, a process that left the group, and a fork loop")
  void stopsEverything(boolean wrapped) {
    String time = unlikely(4);
    try (Steps steps = steps(wrapped, Duration.ofMillis(500))) {
      Steps.Running step = steps.sh("trap '' TERM; T=" + time + "; "
          + "setsid sh -c 'trap \"\" TERM; while :; do setsid sleep '$T' & sleep 0.02; done' & "
          + "(sleep $T; sleep $T) & env -i sleep $T & echo ready; while :; do sleep $T; done");
      step.awaitOutput("ready");
      Steps.await(() -> daemons(time).count() > 6, "some children");

      CompletableFuture<Void> other = CompletableFuture.runAsync(step.started::stop);
      step.started.stop();

      assertThat(Steps.lives("sleep\0" + time)).isFalse();
      other.join();
      assertThat(step.end()).isEqualTo(wrapped ? new Exited(137) : new Signalled(9));
      step.started.stop();
      assertThat(step.exits).hasSize(1);
      assertThat(Steps.lives("sleep\0" + time)).isFalse();
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  @DisplayName("A stop ends a suspended step, and a step that is just ending")
  @ProofsProfile
  void stopsHaltedAndEnding(boolean wrapped) {
    try (Steps steps = steps(wrapped, Duration.ofSeconds(30))) {
      Steps.Running halted = steps.named("halted", "sh", "-c", "echo ready; kill -s STOP $$");
      halted.awaitOutput("ready");
      halted.started.stop();
      assertThat(halted.end()).isIn(new Signalled(15), new Exited(143), new Exited(0));

      for (int i = 0; i < 30; i++) {
        Steps.Running ending = steps.named("ending-" + i, "true");
        Steps.SCHEDULER.pause(Duration.ofNanos(i * 100_000L));
        ending.started.stop();
        ending.started.stop();
        assertThat(ending.end()).isIn(new Exited(0), new Signalled(15), new Exited(143));
        assertThat(ending.exits).hasSize(1);
      }
    }
  }
}
