package fleet.tower.hammer;

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
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.harness.Await;
import fleet.tower.harness.Extent;
import fleet.tower.harness.Installation;
import fleet.tower.harness.KillableService;
import fleet.tower.harness.ProofsProfile;
import fleet.tower.lock.Competitor;
import fleet.tower.lock.HammerHistory;
import fleet.tower.lock.file.PowerCut;
import fleet.tower.platform.sql.DirectTables;
import fleet.tower.platform.sql.PostgresServer;
import fleet.tower.platform.time.FineClock;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.platform.time.SystemTime;
import fleet.tower.service.config.TestService;
import fleet.tower.service.web.access.TestTokens;

/** Run longer with {@code ./mvnw test -Dtest=HostileHammerTest -Dhammer.seconds=180}. */
@DisplayName("A service with hostile clients, killed once, gives nobody another's lock, and no lock twice")
class HostileHammerTest {
  private static final long SECONDS = Math.max(4, Long.getLong("hammer.seconds", Extent.of(6, 180)) / 3);
  private static final int HONEST = 5;
  private static final int HOSTILE = 3;
  private static final int REMOVING = 2;
  private static final int LONGEST_HOLD_MILLIS = 300;
  private static final Duration LONGEST_DELAY = Duration.ofMinutes(2);
  /** What the clients must have met; beside these, what is removed by hand on files. */
  private static final Set<String> REFUSALS = Set.of("enter 409", "renew 403", "release 403",
      "renewal of own run lock_of_run", "release of own run lock_of_run", "entry of own run lock_of_run",
      "removal of own run forbidden", "force run_active", "abandoned run lock_lost", "elsewhere lock 69",
      "elsewhere check 69", "elsewhere guard 69", "elsewhere script lock 69", "elsewhere script check 69");
  private static final Set<String> REMOVALS = Set.of("removal of a lock", "removal of an own lock",
      RemovingClient.COLD, "heartbeat of a removed grant 404", "release of a removed grant 404",
      "look for removed grants");
  private static final List<String> FAULTS = List.of("foreign: release", "returned: a removed grant is held",
      "live run robbed", "other store: lock");
  private static final int RUN_TTL_SECONDS = 5;
  /** The clock that a step can read has a resolution of a hundredth of a second. */
  private static final long TICK_NANOS = 10_000_000;

  private final Scheduler scheduler = SystemTime.scheduler();
  private final List<HammerClient> clients = new ArrayList<>();
  private final List<RemovingClient> removing = new ArrayList<>();

  @TempDir
  private Path temp = Path.of("not-yet");

  /** How a test goes, apart from its store: rightly, or with everything wrong that it looks for. */
  private enum Play {
    FAIR, FOUL
  }

  @Test
  @Timeout(1800)
  @DisplayName("TF-1.1 TF-3.6 TF-11.3 on files: no overlap, no foreign lock or run's lock used, no removed lock returns, "
      + "no lock of another store")
  @ProofsProfile
  void onFiles() throws Exception {
    String other = PostgresServer.newDatabase();

    assertNoFault(hammer(Play.FAIR, "", List.of(other)), REMOVALS);

    assertThat(new DirectTables(other).look("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")).isEmpty();
  }

  @Test
  @Timeout(1800)
  @DisplayName("TF-1.1 TF-3.6 on PostgreSQL: no overlap, no foreign lock or run's lock used, no lock of another store")
  @ProofsProfile
  void onPostgres() throws Exception {
    assertNoFault(hammer(Play.FAIR, PostgresServer.newDatabase(), List.of("", PostgresServer.newDatabase())), Set.of());

    assertThat(temp.resolve("tower/home/logs/locks")).doesNotExist();
  }

  @Test
  @Timeout(300)
  @DisplayName("With hostile operators, lost witnesses, abandoned runs and the same store, each fault is found")
  @ProofsProfile
  void seesWhatItLooksFor() throws Exception {
    Result result = hammer(Play.FOUL, "", List.of(""));

    assertThat(result.hasAllFaults()).as(result.toString()).isTrue();
  }

  /** The records of those who held locks, and what the hostile clients met. */
  private record Result(List<HammerHistory> histories, Map<String, Integer> answers, Map<String, Integer> faults) {
    boolean hasAllFaults() {
      return FAULTS.stream().allMatch(fault -> faults.keySet().stream().anyMatch(it -> it.startsWith(fault)))
          && histories.stream().anyMatch(history -> history.robbed() > 0);
    }
  }

  private static void assertNoFault(Result result, Set<String> more) {
    assertThat(result.histories()).allSatisfy(history -> {
      assertThat(history.violations()).isEmpty();
      assertThat(history.robbed()).isZero();
      assertThat(history.count("enter")).isPositive();
    });
    assertThat(result.faults()).isEmpty();
    assertThat(result.answers().keySet()).containsAll(REFUSALS).containsAll(more);
  }

  /** @param database where the locks are, and where those of other settings look for them; empty for files */
  private Result hammer(Play play, String database, List<String> others) throws Exception {
    Path histories = Files.createDirectory(temp.resolve("histories"));
    Installation tower = installation("tower", database);
    declare(tower.home(), play == Play.FAIR ? "agent" : "operator");
    List<ServiceClient> honest = new ArrayList<>();
    Path locks = tower.home().resolve("logs/locks");
    try (KillableService service = new KillableService(tower)) {
      for (int i = 0; i < HONEST; i++) {
        honest
            .add(new ServiceClient("honest" + i, service::url, tokenOf("honest" + i), histories, LONGEST_HOLD_MILLIS));
      }
      enlist(service, play, database.isEmpty() ? locks : null, histories);
      List<Thread> threads = new ArrayList<>(honest.stream().map(Thread.ofPlatform().daemon()::start).toList());
      Await.until("the home has a store", () -> Files.exists(tower.home().resolve("state/store")));
      for (String other : others) {
        clients.add(new ElsewhereClient("elsewhere" + clients.size(),
            installation("elsewhere" + clients.size(), other).with("TOWER_HOME", tower.home().toString())));
      }
      clients.forEach(client -> threads.add(Thread.ofPlatform().daemon().start(client)));
      startRuns(service, play, histories, () -> {
        if (database.isEmpty()) {
          PowerCut.reboot(locks);
        }
        if (play == Play.FOUL) {
          PowerCut.loseWitnesses(locks);
        }
      });
      honest.forEach(ServiceClient::end);
      clients.forEach(HammerClient::end);
      for (Thread thread : threads) {
        thread.join();
      }
      for (RemovingClient client : removing) {
        client.look();
      }
    }
    addRuns(tower.home(), histories);
    Result result = result(histories);
    System.out.println("hostile hammer: " + SECONDS + " s, " + result);
    return result;
  }

  private Installation installation(String name, String database) {
    Installation tower = new Installation(temp.resolve(name));
    return database.isEmpty() ? tower : tower.with("TOWER_DATABASE_URL", database);
  }

  /** @param locks the directory of lock files; null if there is none */
  private void enlist(KillableService service, Play play, @Nullable Path locks, Path histories) throws IOException {
    for (int i = 0; i < HOSTILE; i++) {
      clients.add(new HostileClient("hostile" + i, new HammerCalls(service::url, tokenOf("hostile" + i)), histories));
    }
    HammerCalls boss = new HammerCalls(service::url, tokenOf("boss"));
    clients.add(new ForcingClient("forcing", boss, service.tower().home(), play == Play.FOUL));
    Path removed = Files.createDirectory(temp.resolve("removed"));
    for (int i = 0; i < REMOVING && locks != null; i++) {
      removing.add(new RemovingClient("removing" + i, boss, locks, removed, histories));
    }
    clients.addAll(removing);
  }

  /** Starts runs until the clients have seen enough, and kills the service at half time, after a cold removal. */
  private void startRuns(KillableService service, Play play, Path histories, Runnable whileDead) throws Exception {
    HammerCalls calls = new HammerCalls(service::url, tokenOf("honest0"));
    long begun = FineClock.nanos();
    long end = begun + Duration.ofSeconds(SECONDS).toNanos();
    long limit = end + LONGEST_DELAY.toNanos();
    boolean isKilled = false;
    for (int i = 0; FineClock.nanos() < end || (!hasSeenEnough(play, histories) && FineClock.nanos() < limit); i++) {
      if (!isKilled && FineClock.nanos() - begun > (end - begun) / 2 && (removing.isEmpty() || hasRemovedCold())) {
        service.restart(whileDead);
        isKilled = true;
      }
      calls.call("POST", "/intents/hold", "{\"params\":{\"lock\":\""
          + Competitor.NAMES.get(i % Competitor.NAMES.size()) + "\"},\"request_id\":\"run_" + i + "\"}");
      scheduler.pause(Duration.ofMillis(50));
    }
  }

  private boolean hasRemovedCold() {
    return removing.stream().anyMatch(client -> client.answers().containsKey(RemovingClient.COLD));
  }

  /** A busy machine gets longer, until the clients have met everything that they should. */
  private boolean hasSeenEnough(Play play, Path histories) {
    Result soFar = result(histories);
    return play == Play.FOUL
        ? soFar.hasAllFaults()
        : !soFar.faults().isEmpty() || (soFar.answers().keySet().containsAll(REFUSALS)
            && (removing.isEmpty() || soFar.answers().keySet().containsAll(REMOVALS)));
  }

  private Result result(Path histories) {
    return new Result(Competitor.NAMES.stream().map(name -> HammerHistory.read(histories, name)).toList(),
        sum(HammerClient::answers), sum(HammerClient::faults));
  }

  private Map<String, Integer> sum(Function<HammerClient, Map<String, Integer>> of) {
    Map<String, Integer> sum = new TreeMap<>();
    clients.forEach(client -> of.apply(client).forEach((what, count) -> sum.merge(what, count, Integer::sum)));
    return sum;
  }

  private static void declare(Path home, String role) {
    TestService.declare(home, "hold", """
        mode: mutate
        params:
          lock: { type: string, required: true }
        controls: { lock: "${params.lock}" }
        timeouts: { lock_ttl: %d }
        steps:
          - name: hold
            script: |
              read -r begun _ </proc/uptime
              sleep 0.05
              read -r ended _ </proc/uptime
              echo "$PARAM_LOCK $TOWER_LOCK_TOKEN $begun $ended" >>"$TOWER_HOME/held"
        """.formatted(RUN_TTL_SECONDS));
    TestService.declare(home, "stay", ForcingClient.spec());
    StringBuilder tokens = new StringBuilder(entry("boss", "operator", ""));
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
      String run = "enter " + words[1] + " " + begun + " " + (begun + Duration.ofSeconds(RUN_TTL_SECONDS).toNanos())
          + " false run\nexit " + words[1]
          + " " + (uptime(words[3]) + offset - TICK_NANOS) + " 0 false run\n";
      Files.write(histories.resolve("run" + words[1] + "-" + words[0]), run.getBytes(StandardCharsets.UTF_8),
          StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }
  }

  private static long uptime(String seconds) {
    return Math.round(Double.parseDouble(seconds) * 1e9);
  }
}
