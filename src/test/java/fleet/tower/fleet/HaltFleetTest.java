package fleet.tower.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.fleet.ServiceFleet.Host;
import fleet.tower.harness.Await;
import fleet.tower.harness.Extent;
import fleet.tower.harness.TestFiles;
import fleet.tower.platform.json.JsonReader;
import fleet.tower.platform.sql.DedicatedServer;
import fleet.tower.platform.sql.DirectTables;
import fleet.tower.platform.time.SystemTime;
import fleet.tower.platform.time.TimeSource;
import fleet.tower.service.config.TestService;

@DisplayName("A halt of everything on three hosts, real processes and a real server")
class HaltFleetTest {
  private static final int HOSTS = 3;
  private static final int ROUNDS = Extent.of(2, 4);
  private static final int RUNS = Extent.of(9, 60);
  /** How soon after a host's return its processes are gone; without -Plong the machine may be busy. */
  private static final Duration SOON = Duration.ofSeconds(Extent.of(30, 3));
  private static final long SEED = 20251219;

  private final TimeSource time = SystemTime.source();
  private final Path directory;
  private final Path steps;

  HaltFleetTest(@TempDir Path directory) {
    this.directory = directory;
    this.steps = directory.resolve("steps");
  }

  private void prepare(Path home) {
    TestService.declare(home, "hold", """
        mode: mutate
        params: { lock: { type: string, required: true } }
        controls: { lock: "${params.lock}" }
        steps:
          - name: hold
            script: echo "$PARAM_LOCK $$" >>STEPS; exec sleep 600
        """.replace("STEPS", steps.toString()));
  }

  @Test
  @Timeout(600)
  @DisplayName("It leaves no process of a step soon after each host's return, suspended or with the database stopped, and "
      + "nothing is granted after it")
  void killed() {
    try (DedicatedServer server = DedicatedServer.begin(directory.resolve("data"));
        ServiceFleet fleet = new ServiceFleet(directory, SEED, Collections.nCopies(HOSTS, server.url()),
            this::prepare)) {
      for (int round = 0; round < ROUNDS; round++) {
        halt(fleet, server, round);
      }
    }
  }

  private void halt(ServiceFleet fleet, DedicatedServer server, int round) {
    boolean stopsDatabase = round % 2 == 1;
    int away = round % HOSTS;
    Host suspended = fleet.hosts().get(away);
    Host asked = fleet.hosts().get((away + 1) % HOSTS);
    List<String> runs = begin(fleet, round);
    Map<String, Long> begun = processes();
    suspended.suspend();

    assertThat(fleet.call(asked, "PUT", "/halts/all", "{\"all\":true,\"level\":\"kill\",\"reason\":\"proof\"}")
        .statusCode()).isEqualTo(201);
    List<String> granted = grants(server);
    if (stopsDatabase) {
      server.stopAtOnce();
      server.start();
    }
    String others = awaitGone(begun.entrySet().stream().filter(it -> !it.getKey().startsWith(prefix(round, away))));
    suspended.resume();
    String last = awaitGone(begun.entrySet().stream());
    System.out.println("halt " + round + (stopsDatabase ? " with the database stopped: " : ": ") + RUNS
        + " processes gone after " + others + ", those of the suspended host after " + last);

    fleet.hosts().forEach(host -> assertNothingBegins(fleet, host));
    for (String run : runs) {
      Await.until(run + " has ended", () -> List.of("cancelled", "refused").contains(status(fleet, asked, run)));
    }
    assertThat(grants(server)).as("nothing is granted after the halt").isEqualTo(granted);
    assertThat(processes()).as("no step begins after it").isEqualTo(begun);
    assertThat(fleet.call(asked, "DELETE", "/halts/all", "").statusCode()).isEqualTo(200);
  }

  private static String prefix(int round, int host) {
    return "round-" + round + "-host-" + host + "-";
  }

  /** Runs that execute their step, and for each host one that waits for the lock of another; returns their ids. */
  private List<String> begin(ServiceFleet fleet, int round) {
    List<String> runs = new ArrayList<>();
    for (int i = 0; i < RUNS; i++) {
      String run = prefix(round, i % HOSTS) + i;
      begin(fleet.call(fleet.hosts().get(i % HOSTS), "POST", "/intents/hold",
          "{\"params\":{\"lock\":\"" + run + "\"},\"request_id\":\"" + run + "\"}"), run, runs);
    }
    Await.until("all steps have begun", () -> processes().size() == RUNS * (round + 1));
    for (int i = 0; i < HOSTS; i++) {
      Host host = fleet.hosts().get(i);
      String waiter = "waiter-" + prefix(round, i) + "0";
      begin(fleet.call(host, "POST", "/intents/hold", "{\"params\":{\"lock\":\"" + prefix(round, i) + i
          + "\"},\"request_id\":\"" + waiter + "\",\"wait_seconds\":300}"), waiter, runs);
      Await.until(waiter + " waits", () -> status(fleet, host, waiter).equals("waiting"));
    }
    return runs;
  }

  private static void begin(HttpResponse<String> answer, String run, List<String> runs) {
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(202);
    runs.add(run);
  }

  private static String status(ServiceFleet fleet, Host host, String run) {
    return JsonReader.readOwn(fleet.call(host, "GET", "/runs/" + run, "").body()).requiredText("status");
  }

  /** The processes of all steps that have begun, by their locks. */
  private Map<String, Long> processes() {
    Map<String, Long> processes = new TreeMap<>();
    TestFiles.textIfAny(steps).lines().map(line -> line.split(" ", -1))
        .forEach(line -> assertThat(processes.put(line[0], Long.parseLong(line[1]))).as(line[0]).isNull());
    return processes;
  }

  private static List<String> grants(DedicatedServer server) {
    return new DirectTables(server.url()).look("SELECT name || ' ' || token FROM locks ORDER BY name");
  }

  /** Waits until processes are gone, and returns how long that took. */
  private String awaitGone(Stream<Map.Entry<String, Long>> steps) {
    long returned = time.nanos();
    List<Map.Entry<String, Long>> all = steps.toList();
    Await.asserted("the processes are gone", SOON, () -> assertThat(all)
        .filteredOn(it -> ProcessHandle.of(it.getValue()).filter(ProcessHandle::isAlive).isPresent()).isEmpty());
    return Duration.ofNanos(time.nanos() - returned).toMillis() + " ms";
  }

  private static void assertNothingBegins(ServiceFleet fleet, Host host) {
    for (String call : List.of("/locks/free", "/intents/hold")) {
      HttpResponse<String> answer = fleet.call(host, "POST", call, call.startsWith("/locks")
          ? "{}"
          : "{\"params\":{\"lock\":\"free\"}}");
      assertThat(answer.statusCode()).as(answer.body()).isEqualTo(409);
      assertThat(answer.body()).contains("\"error\":\"halted\"");
    }
  }
}
