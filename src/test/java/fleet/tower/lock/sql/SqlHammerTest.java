package fleet.tower.lock.sql;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.lock.Fighter;
import fleet.tower.lock.HammerHistory;
import fleet.tower.lock.file.ChildJvm;
import fleet.tower.platform.sql.PostgresServer;
import fleet.tower.platform.sql.TablesBeside;
import fleet.tower.platform.sql.Wire;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.platform.time.TimeSource;
import fleet.tower.platform.time.system.SystemTime;

@DisplayName("Real processes on one PostgreSQL server, killed, suspended and cut off, never hold one lock at once")
class SqlHammerTest {
  private static final Duration STOP = Duration.ofMillis(2600);
  private static final int PROCESSES = 10;
  private static final String TERMINATE = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
      + " WHERE application_name LIKE 'tower%' AND datname = current_database()";

  private final TimeSource time = SystemTime.source();
  private final Scheduler scheduler = SystemTime.scheduler();
  private final Random random = new Random(20251218);
  private final String url = PostgresServer.newDatabase();
  private final List<Process> processes = new ArrayList<>();
  private final Map<String, Integer> disturbed = new TreeMap<>();
  private int started;

  @TempDir
  private Path temp = Path.of("not-yet");

  @Test
  @Timeout(3700)
  @DisplayName("TF-1.1 TF-1.2 ten processes start at once on an empty database, SIGKILL, SIGSTOP beyond the "
      + "ttl, backends killed, a stalled network: no overlap, tokens grow")
  void neverTwoAtOnce() throws IOException {
    long seconds = Math.max(10, Long.getLong("hammer.seconds", 12) / 3);

    List<HammerHistory> histories = hammer(url, seconds);

    System.out.println("hammer on PostgreSQL: " + seconds + " s, " + disturbed + ", " + histories);
    assertThat(outputs()).isEmpty();
    assertThat(histories).allSatisfy(history -> assertThat(history.violations()).isEmpty());
    assertThat(sum(histories, "enter")).isGreaterThanOrEqualTo((int) seconds * 5);
    assertThat(sum(histories, "stolen")).isPositive();
    assertThat(disturbed).hasSize(3);
  }

  @Test
  @Timeout(120)
  @DisplayName("TF-6.1 on a server whose clock jumps the same hammer finds two holders at once: it detects what "
      + "it tests")
  void seesTwoAtOnce() throws IOException {
    new TablesBeside(url).change("CREATE FUNCTION public.clock_timestamp() RETURNS TIMESTAMPTZ LANGUAGE sql VOLATILE AS"
        + " 'SELECT pg_catalog.clock_timestamp() + CASE WHEN random() < 0.5 THEN INTERVAL ''0'' ELSE INTERVAL ''5 s'' END'");

    List<HammerHistory> histories = hammer(url + "&options=-c%20search_path=public,pg_catalog", 4);

    assertThat(histories).anySatisfy(history -> assertThat(history.violations()).isNotEmpty());
  }

  private static int sum(List<HammerHistory> histories, String what) {
    return histories.stream().mapToInt(history -> history.count(what)).sum();
  }

  private List<HammerHistory> hammer(String place, long seconds) throws IOException {
    try (Wire wire = new Wire(place)) {
      for (int i = 0; i < PROCESSES; i++) {
        processes.add(start(i < 2 ? wire.url() : place));
      }
      Files.createFile(temp.resolve("go"));
      awaitAll();
      long end = time.nanos() + Duration.ofSeconds(seconds).toNanos();
      for (int i = 0; time.nanos() - end < 0; i++) {
        scheduler.pause(Duration.ofMillis(200 + random.nextInt(300)));
        disturb(i % 4, random.nextInt(PROCESSES), wire, place);
      }
    } finally {
      processes.forEach(Process::destroyForcibly);
      processes.forEach(ChildJvm::exitCode);
    }
    return Fighter.NAMES.stream().map(name -> HammerHistory.read(temp, name)).toList();
  }

  private void disturb(int how, int victim, Wire wire, String place) throws IOException {
    switch (how) {
      case 0 -> {
        processes.get(victim).destroyForcibly();
        ChildJvm.exitCode(processes.get(victim));
        processes.set(victim, start(victim < 2 ? wire.url() : place));
        disturbed.merge("killed", 1, Integer::sum);
      }
      case 1 -> {
        ChildJvm.signal(processes.get(victim), "STOP");
        wire.stall();
        scheduler.pause(STOP);
        ChildJvm.signal(processes.get(victim), "CONT");
        wire.goOn();
        disturbed.merge("stopped", 1, Integer::sum);
      }
      default -> disturbed.merge("connections cut", new TablesBeside(url).look(TERMINATE).size(), Integer::sum);
    }
  }

  /** Waits until each has had a lock, so that each has created or found the tables. */
  private void awaitAll() throws IOException {
    for (int i = 0; i < PROCESSES; i++) {
      String histories = "p" + i + "-";
      while (Fighter.NAMES.stream().allMatch(name -> isEmpty(temp.resolve(histories + name)))) {
        assertThat(processes.get(i).isAlive()).as(outputs()).isTrue();
        scheduler.pause(Duration.ofMillis(20));
      }
    }
    assertThat(new TablesBeside(url).look("SELECT COUNT(*) FROM schema_versions WHERE script = 'V4__locks.sql'"))
        .containsExactly("1");
  }

  private static boolean isEmpty(Path file) {
    return file.toFile().length() == 0;
  }

  private String outputs() throws IOException {
    StringBuilder all = new StringBuilder();
    try (Stream<Path> files = Files.list(temp)) {
      for (Path file : files.filter(file -> file.toString().endsWith(".output")).toList()) {
        all.append(Files.readString(file));
      }
    }
    return all.toString();
  }

  private Process start(String through) throws IOException {
    String id = "p" + started++;
    return new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
        "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xshare:auto", "-Xmx64m", "-Dslf4j.internal.verbosity=ERROR",
        "-cp",
        System.getProperty("java.class.path"), SqlHammerMain.class.getName(), through, id, temp.resolve(id).toString(),
        temp.resolve("go").toString()).redirectErrorStream(true)
        .redirectOutput(temp.resolve(id + ".output").toFile()).start();
  }
}
