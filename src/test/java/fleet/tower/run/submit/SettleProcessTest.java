package fleet.tower.run.submit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.harness.Await;
import fleet.tower.harness.Extent;
import fleet.tower.harness.Installation;
import fleet.tower.harness.Programs;
import fleet.tower.platform.json.JsonException;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonReader;
import fleet.tower.run.Probed.Settled;
import fleet.tower.service.config.TestService;

@DisplayName("tower settle after executors were killed, against a target that counts its changes")
class SettleProcessTest {
  /** The target: one line for each change, and the version that it has. */
  private static final String ACT = """
      #!/bin/bash
      echo "$1" >> changes
      sleep 0.0$((RANDOM % 4))
      echo "$1" > version.tmp
      mv version.tmp version
      """;
  private static final String PROBE = """
      #!/bin/bash
      printf '{"changes":%d,"version":"%s"}' "$(wc -l < changes)" "$(cat version)"
      """;
  private static final String INTENT = """
      mode: mutate
      params: { version: { type: string, required: true } }
      controls: { lock: target, on_stale: settle }
      probe: { run: [./state.sh] }
      desired: { version: "${params.version}" }
      timeouts: { lock_ttl: 2 }
      steps:
        - { name: before, run: [sleep, "0.03"] }
        - { name: act, run: [./act.sh, "${params.version}"] }
        - { name: after, run: [sleep, "0.03"] }
      """;

  private static final int LATEST_KILL_MILLIS = 1000;

  private final Path directory;
  private final Installation tower;
  private final Path home;
  private final Path lock;

  SettleProcessTest(@TempDir Path directory) throws IOException {
    this.directory = directory;
    tower = new Installation(directory.resolve("release"));
    home = tower.home();
    lock = home.resolve("logs/locks/target.lock");
    TestService.declare(home, "act", INTENT);
    Programs.write(home.resolve("act.sh"), ACT);
    Programs.write(home.resolve("state.sh"), PROBE);
    Files.writeString(home.resolve("changes"), "");
    Files.writeString(home.resolve("version"), "0");
  }

  private JsonObject json(String... line) {
    Installation.Result result = tower.tower(line);
    try {
      JsonObject answer = JsonReader.readObject(result.out());
      return answer.object("data").orElse(answer);
    } catch (JsonException e) {
      throw new AssertionError(String.join(" ", line) + ": " + result, e);
    }
  }

  /** The answer once no process of the run is left. */
  private JsonObject settled(String id) {
    AtomicReference<JsonObject> answer = new AtomicReference<>(json("settle", id, "--json"));
    Await.until("the end of its processes", () -> {
      boolean isOver = !answer.get().text("unknown").orElse("").contains("may still act");
      if (!isOver) {
        answer.set(json("settle", id, "--json"));
      }
      return isOver;
    });
    return answer.get();
  }

  private long changesTo(String version) throws IOException {
    return Files.readAllLines(home.resolve("changes")).stream().filter(version::equals).count();
  }

  @Test
  @DisplayName("An executor killed before, inside and after the effect: the answer is true or unknown, one change at most")
  void killed() throws Exception {
    Random random = new Random(34);
    Map<Settled, Integer> answers = new EnumMap<>(Settled.class);
    int rounds = Extent.of(6, 40, 300);
    for (int round = 1; round <= rounds; round++) {
      String version = Integer.toString(round);
      String id = "r" + round;
      String before = Files.readString(home.resolve("version")).strip();
      Process run = tower.start(
          List.of(tower.launcher().toString(), "run", "act", "-p", "version=" + version, "--request-id", id),
          directory.resolve("out"), directory.resolve("err"));
      Await.until("its lock", () -> Files.exists(lock) || !run.isAlive());
      boolean _ = run.waitFor(random.nextInt(LATEST_KILL_MILLIS), TimeUnit.MILLISECONDS);
      Await.kill(run);
      JsonObject answer = settled(id);

      String now = Files.readString(home.resolve("version")).strip();
      assertThat(changesTo(version)).as("changes of %s", id).isLessThanOrEqualTo(1);
      if (answer.text("settled").isEmpty()) {
        // The run had ended before it was killed, or had not been recorded.
        assertThat(answer.text("error")).as(answer.raw()).isPresent();
        continue;
      }
      Settled settled = Settled.valueOf(answer.requiredText("settled").toUpperCase(Locale.ROOT));
      answers.merge(settled, 1, Integer::sum);
      switch (settled) {
        case APPLIED -> {
          assertThat(now).as(answer.raw()).isEqualTo(version);
          assertThat(changesTo(version)).isEqualTo(1);
        }
        case NOT_APPLIED -> {
          assertThat(now).as(answer.raw()).isEqualTo(before);
          assertThat(changesTo(version)).as(answer.raw()).isZero();
        }
        case UNKNOWN -> assertThat(answer.text("unknown")).isPresent();
      }
      if (settled == Settled.UNKNOWN) {
        assertThat(tower.tower("force-release", "target", "--reason", "looked at it").exit()).isIn(0, 3);
      } else {
        assertThat(lock).as(answer.raw()).doesNotExist();
      }
    }
    assertThat(answers.values().stream().mapToInt(Integer::intValue).sum()).isPositive();
  }
}
