package fleet.tower.cli;

import static fleet.tower.service.web.access.TestTokens.entry;
import static fleet.tower.service.web.access.TestTokens.tokenOf;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.lock.Competitor;
import fleet.tower.lock.HammerHistory;
import fleet.tower.platform.sql.PostgresServer;
import fleet.tower.platform.time.FineClock;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.platform.time.system.SystemTime;
import fleet.tower.service.config.TestService;
import fleet.tower.service.web.access.TestTokens;

/** Run longer with {@code ./mvnw test -Dtest=HostileHammerTest -Dhammer.seconds=180}. */
@DisplayName("A service with callers that use every request id they see gives no caller another's lock")
class HostileHammerTest {
  private static final long SECONDS = Math.max(4, Long.getLong("hammer.seconds", 6) / 3);
  private static final int HONEST = 5;
  private static final int HOSTILE = 3;
  private static final int LONGEST_HOLD_MILLIS = 300;
  private static final Duration LONGEST_DELAY = Duration.ofMinutes(2);
  private static final List<String> REFUSALS = List.of("enter 409", "renew 403", "release 403",
      "renewal of own run lock_of_run", "release of own run lock_of_run", "entry of own run lock_of_run",
      "removal of own run forbidden");
  private static final long RUN_TTL_NANOS = Duration.ofSeconds(60).toNanos();
  /** The clock that a step can read has a resolution of a hundredth of a second. */
  private static final long TICK_NANOS = 10_000_000;

  private final Scheduler scheduler = SystemTime.scheduler();
  private final List<ServiceClient> honest = new ArrayList<>();
  private final List<HostileClient> hostile = new ArrayList<>();

  @TempDir
  private Path temp = Path.of("not-yet");

  @Test
  @Timeout(1800)
  @DisplayName("TF-1.1 TF-3.6 on files: no overlap, no foreign lock or run's lock entered, renewed or released")
  void onFiles() throws Exception {
    assertNothingForeign(hammer("agent", SECONDS));
  }

  @Test
  @Timeout(1800)
  @DisplayName("TF-1.1 TF-3.6 on PostgreSQL: no overlap, no foreign lock or run's lock entered, renewed or released")
  void onPostgres() throws Exception {
    assertNothingForeign(hammer("agent", SECONDS, "--tower.database.url=" + PostgresServer.newDatabase()));
  }

  @Test
  @Timeout(300)
  @DisplayName("With operators, who may release by request id, the same test fails, so it can detect the fault")
  void seesWhatItLooksFor() throws Exception {
    Result result = hammer("operator", 3);

    assertThat(result.answers().keySet()).contains("foreign release");
    assertThat(result.count("robbed")).isPositive();
  }

  /** The records of the honest clients, and the answers to the hostile ones. */
  private record Result(List<HammerHistory> histories, Map<String, Integer> answers) {
    int count(String what) {
      return histories.stream().mapToInt(history -> history.count(what)).sum();
    }
  }

  private static void assertNothingForeign(Result result) {
    assertThat(result.histories()).allSatisfy(history -> assertThat(history.violations()).isEmpty());
    assertThat(result.answers().keySet()).noneMatch(answer -> answer.startsWith("foreign"));
    assertThat(result.count("robbed")).isZero();
    assertThat(result.count("enter")).isPositive();
    assertThat(result.answers().keySet()).containsAll(REFUSALS);
  }

  private Result hammer(String role, long seconds, String... settings) throws Exception {
    Path home = Files.createDirectory(temp.resolve("home"));
    Path histories = Files.createDirectory(temp.resolve("histories"));
    declare(home, role);
    try (TestService service = new TestService(home, settings)) {
      List<Thread> threads = new ArrayList<>();
      for (int i = 0; i < HONEST; i++) {
        honest
            .add(new ServiceClient("honest" + i, service::url, tokenOf("honest" + i), histories, LONGEST_HOLD_MILLIS));
      }
      for (int i = 0; i < HOSTILE; i++) {
        hostile.add(new HostileClient("hostile" + i, service.url(), tokenOf("hostile" + i), histories));
      }
      honest.forEach(client -> threads.add(Thread.ofPlatform().daemon().start(client)));
      hostile.forEach(client -> threads.add(Thread.ofPlatform().daemon().start(client)));
      long end = FineClock.nanos() + Duration.ofSeconds(seconds).toNanos();
      long limit = end + LONGEST_DELAY.toNanos();
      for (int i = 0; FineClock.nanos() < end || (!hasSeenEnough() && FineClock.nanos() < limit); i++) {
        service.callAs(tokenOf("honest0"), "POST", "/intents/hold", "{\"params\":{\"lock\":\""
            + Competitor.NAMES.get(i % Competitor.NAMES.size()) + "\"},\"request_id\":\"run_" + i + "\"}");
        scheduler.pause(Duration.ofMillis(50));
      }
      honest.forEach(ServiceClient::end);
      hostile.forEach(HostileClient::end);
      for (Thread thread : threads) {
        thread.join();
      }
    }
    addRuns(home, histories);
    Map<String, Integer> answers = new TreeMap<>();
    hostile.forEach(client -> client.answers().forEach((answer, count) -> answers.merge(answer, count, Integer::sum)));
    Result result = new Result(Competitor.NAMES.stream().map(name -> HammerHistory.read(histories, name)).toList(),
        answers);
    System.out.println("hostile hammer: " + seconds + " s, " + result.histories() + ", answers " + answers);
    return result;
  }

  /** A busy machine gets longer, until the hostile clients have met every rejection or have taken a lock. */
  private boolean hasSeenEnough() {
    return honest.stream().anyMatch(client -> client.robbed() > 0) || REFUSALS.stream()
        .allMatch(answer -> hostile.stream().anyMatch(client -> client.answers().containsKey(answer)));
  }

  private static void declare(Path home, String role) {
    TestService.declare(home, "hold", """
        mode: mutate
        params:
          lock: { type: string, required: true }
        controls: { lock: "${params.lock}" }
        timeouts: { lock_ttl: 60 }
        steps:
          - name: hold
            script: |
              read -r begun _ </proc/uptime
              sleep 0.05
              read -r ended _ </proc/uptime
              echo "$PARAM_LOCK $TOWER_LOCK_TOKEN $begun $ended" >>"$TOWER_HOME/held"
        """);
    StringBuilder tokens = new StringBuilder();
    for (int i = 0; i < HONEST; i++) {
      tokens.append(entry("honest" + i, "operator", ""));
    }
    for (int i = 0; i < HOSTILE; i++) {
      tokens.append(entry("hostile" + i, role, ""));
    }
    TestTokens.write(home, tokens.toString());
  }

  /** Adds the records of the runs' steps to the histories, converted to their clock. */
  private static void addRuns(Path home, Path histories) throws IOException {
    Path held = home.resolve("held");
    if (!Files.exists(held)) {
      return;
    }
    long offset = FineClock.nanos() - uptime(Files.readString(Path.of("/proc/uptime")).split(" ", 2)[0]);
    for (String line : Files.readAllLines(held)) {
      String[] words = line.split(" ", 4);
      long begun = uptime(words[2]) + offset + TICK_NANOS;
      String run = "enter " + words[1] + " " + begun + " " + (begun + RUN_TTL_NANOS) + " false run\nexit " + words[1]
          + " " + (uptime(words[3]) + offset - TICK_NANOS) + " 0 false run\n";
      Files.write(histories.resolve("run" + words[1] + "-" + words[0]), run.getBytes(StandardCharsets.UTF_8),
          StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }
  }

  private static long uptime(String seconds) {
    return Math.round(Double.parseDouble(seconds) * 1e9);
  }
}
