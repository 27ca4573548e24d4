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
import java.util.function.Predicate;
import java.util.stream.Stream;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.harness.Await;
import fleet.tower.harness.Extent;
import fleet.tower.harness.ProofsProfile;
import fleet.tower.lock.Competitor;
import fleet.tower.lock.HammerHistory;
import fleet.tower.lock.file.ChildJvm;
import fleet.tower.platform.sql.DirectTables;
import fleet.tower.platform.sql.PostgresServer;
import fleet.tower.platform.sql.StallingProxy;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.platform.time.SystemTime;
import fleet.tower.platform.time.TimeSource;

@DisplayName("Real processes on one PostgreSQL server, killed, suspended and cut off, never hold one lock at once")
class SqlHammerTest {
  private static final Duration STOP = Duration.ofMillis(2600);
  private static final int PROCESSES = 10;
  private static final int ROUNDS = 5;
  private static final Duration LIMIT = Duration.ofMinutes(3);
  private static final int LEAST_GRANTS = 50;
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
  @ProofsProfile
  void neverTwoAtOnce() throws IOException {
    int seconds = Math.max(6, Integer.getInteger("hammer.seconds", Extent.of(6, 180)) / 3);
    int grants = Math.max(LEAST_GRANTS, seconds * 5);

    List<HammerHistory> histories = hammer(url, seconds, seen -> isEnough(seen, grants));

    System.out.println("hammer on PostgreSQL: at least " + seconds + " s, " + disturbed + ", " + histories);
    assertThat(outputs()).isEmpty();
    assertThat(histories).allSatisfy(history -> assertThat(history.violations()).isEmpty());
    assertThat(sum(histories, "enter")).isGreaterThanOrEqualTo(grants);
    assertThat(sum(histories, "stolen")).isPositive();
    assertThat(disturbed).hasSize(3);
  }

  @Test
  @Timeout(1200)
  @DisplayName("TF-6.1 on a server whose clock jumps, the same hammer finds two holders at once, so it can detect what "
      + "it looks for")
  @ProofsProfile
  void seesTwoAtOnce() throws IOException {
    new DirectTables(url).change("CREATE FUNCTION public.clock_timestamp() RETURNS TIMESTAMPTZ LANGUAGE sql VOLATILE AS"
        + " 'SELECT pg_catalog.clock_timestamp() + CASE WHEN random() < 0.5 THEN INTERVAL ''0'' ELSE INTERVAL ''5 s'' END'");

    List<String> violations = new ArrayList<>();
    for (int round = 0; round < ROUNDS && violations.isEmpty(); round++) {
      hammer(url + "&options=-c%20search_path=public,pg_catalog", 0,
          seen -> seen.stream().anyMatch(history -> !history.violations().isEmpty()))
          .forEach(history -> violations.addAll(history.violations()));
    }

    assertThat(violations).isNotEmpty();
  }

  private boolean isEnough(List<HammerHistory> histories, long grants) {
    return sum(histories, "enter") >= grants && sum(histories, "stolen") > 0 && disturbed.size() == 3;
  }

  private static int sum(List<HammerHistory> histories, String what) {
    return histories.stream().mapToInt(history -> history.count(what)).sum();
  }

  /** Hammers for some seconds, and then, on a busy machine, until enough has happened or the limit is over. */
  private List<HammerHistory> hammer(String place, long seconds, Predicate<List<HammerHistory>> isEnough)
      throws IOException {
    Path round = Files.createDirectory(temp.resolve("round-" + started));
    processes.clear();
    try (StallingProxy wire = new StallingProxy(place)) {
      for (int i = 0; i < PROCESSES; i++) {
        processes.add(start(i < 2 ? wire.url() : place, round));
      }
      Files.createFile(round.resolve("go"));
      awaitAll(round);
      long end = time.nanos() + Duration.ofSeconds(seconds).toNanos();
      long limit = end + LIMIT.toNanos();
      long sizeBefore = 0;
      for (int i = 0; time.nanos() - end < 0 || (time.nanos() - limit < 0 && !isEnough.test(read(round)));) {
        scheduler.pause(Duration.ofMillis(200 + random.nextInt(300)));
        long size = HammerHistory.size(round);
        // Nobody is killed before anybody has done something, however slow the machine is.
        if (size > sizeBefore) {
          disturb(i++ % 4, random.nextInt(PROCESSES), wire, place, round);
          sizeBefore = size;
        }
      }
    } finally {
      processes.forEach(Process::destroyForcibly);
      processes.forEach(ChildJvm::exitCode);
    }
    return read(round);
  }

  private static List<HammerHistory> read(Path round) {
    return Competitor.NAMES.stream().map(name -> HammerHistory.read(round, name)).toList();
  }

  private void disturb(int how, int victim, StallingProxy wire, String place, Path round) throws IOException {
    switch (how) {
      case 0 -> {
        processes.get(victim).destroyForcibly();
        ChildJvm.exitCode(processes.get(victim));
        processes.set(victim, start(victim < 2 ? wire.url() : place, round));
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
      default -> disturbed.merge("connections cut", new DirectTables(url).look(TERMINATE).size(), Integer::sum);
    }
  }

  /** Each has had a lock, so each has made or found the tables. */
  private void awaitAll(Path round) throws IOException {
    for (int i = 0; i < PROCESSES; i++) {
      String histories = "p" + (started - PROCESSES + i) + "-";
      Process process = processes.get(i);
      Await.until("a lock of " + histories,
          () -> Competitor.NAMES.stream().anyMatch(name -> !isEmpty(round.resolve(histories + name)))
              || !process.isAlive());
      assertThat(process.isAlive()).as(outputs()).isTrue();
    }
    assertThat(new DirectTables(url).look("SELECT COUNT(*) FROM schema_versions WHERE script = 'V1__tables.sql'"))
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

  private Process start(String through, Path round) {
    String id = "p" + started++;
    return ChildJvm.start(ChildJvm.commandOnDatabase(SqlHammerMain.class, through, id, round.resolve(id).toString(),
        round.resolve("go").toString()), temp.resolve(id + ".output"));
  }
}
