package fleet.tower.lock.file;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Predicate;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.harness.Extent;
import fleet.tower.harness.ProofsProfile;
import fleet.tower.lease.LeaseState;
import fleet.tower.lock.Competitor;
import fleet.tower.lock.HammerHistory;
import fleet.tower.lock.LockStore;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.platform.time.SystemTime;
import fleet.tower.platform.time.TimeSource;

@DisplayName("Real processes that are killed and suspended never hold one lock at once")
class HammerTest {
  private static final Duration STOP = Duration.ofMillis(2300);
  private static final int PROCESSES = 8;
  private static final int ROUNDS = 5;
  private static final Duration LIMIT = Duration.ofMinutes(3);
  private static final int LEAST_DISTURBANCES = 3;
  private static final long LEAST_GRANTS = 36;
  private static final long LEAST_RENEWALS = 24;

  private final Random random = new Random(20251218);
  private final TimeSource time = SystemTime.source();
  private final Scheduler scheduler = SystemTime.scheduler();
  private final List<Process> processes = new ArrayList<>();
  private final Map<Process, Long> stopped = new HashMap<>();
  private int started;
  private int kills;
  private int stops;

  @TempDir
  private Path temp = Path.of("not-yet");

  @Test
  @Timeout(3700)
  @DisplayName("TF-1.1 TF-1.2 TF-B2 TF-B3 eight processes, SIGKILL, SIGSTOP beyond the ttl, force: no overlap, tokens grow")
  void neverTwoAtOnce() throws IOException {
    long seconds = Long.getLong("hammer.seconds", Extent.of(2, 6, 180));
    long grants = Math.max(LEAST_GRANTS, seconds * 3);
    long renewals = Math.max(LEAST_RENEWALS, seconds * 2);

    List<HammerHistory> histories = hammer(true, seconds, seen -> isEnough(seen, grants, renewals));

    System.out.println("hammer: at least " + seconds + " s, " + kills + " kills, " + stops + " stops, " + histories);
    assertThat(histories).allSatisfy(history -> assertThat(history.violations()).isEmpty());
    assertThat(sum(histories, "enter")).isGreaterThanOrEqualTo(grants);
    assertThat(sum(histories, "renew")).isGreaterThanOrEqualTo(renewals);
    assertThat(sum(histories, "stolen")).isGreaterThanOrEqualTo(1);
    assertThat(kills).isGreaterThanOrEqualTo(LEAST_DISTURBANCES);
    assertThat(stops).isGreaterThanOrEqualTo(LEAST_DISTURBANCES);
  }

  private boolean isEnough(List<HammerHistory> histories, long grants, long renewals) {
    return sum(histories, "enter") >= grants && sum(histories, "renew") >= renewals && sum(histories, "stolen") > 0
        && kills >= LEAST_DISTURBANCES && stops >= LEAST_DISTURBANCES;
  }

  @Test
  @Timeout(1200)
  @DisplayName("TF-B2 without the guard, the same hammer finds two holders at once, so it can detect what it looks for")
  @ProofsProfile
  void seesTwoAtOnceWithoutAGuard() throws IOException {
    List<String> violations = new ArrayList<>();
    for (int round = 0; violations.isEmpty() && round < ROUNDS; round++) {
      List<HammerHistory> histories = hammer(false, 0,
          seen -> seen.stream().anyMatch(history -> !history.violations().isEmpty()));
      System.out.println("hammer without guard: " + histories);
      histories.forEach(history -> violations.addAll(history.violations()));
    }

    assertThat(violations).isNotEmpty();
  }

  /** Hammers for some seconds, and then, on a busy machine, until enough has happened or the limit is over. */
  private List<HammerHistory> hammer(boolean hasGuard, long seconds, Predicate<List<HammerHistory>> isEnough)
      throws IOException {
    Path histories = Files.createDirectories(temp.resolve("histories-" + started));
    Path directory = temp.resolve("locks-" + started);
    long end = time.nanos() + Duration.ofSeconds(seconds).toNanos();
    long limit = end + LIMIT.toNanos();
    long sizeBefore = 0;
    try (LockStore watched = new FileFixture(directory).open(true)) {
      for (int i = 0; i < PROCESSES; i++) {
        processes.add(start(directory, histories, hasGuard));
      }
      while (time.nanos() - end < 0 || (time.nanos() - limit < 0 && !isEnough.test(read(histories)))) {
        scheduler.pause(Duration.ofMillis(100 + random.nextInt(300)));
        goOn(false);
        long size = HammerHistory.size(histories);
        // Nobody is killed before anybody has done something, however slow the machine is.
        if (size > sizeBefore) {
          disturb(directory, histories, hasGuard, watched);
          sizeBefore = size;
        }
      }
    } finally {
      goOn(true);
      processes.forEach(Process::destroyForcibly);
      processes.forEach(ChildJvm::exitCode);
      processes.clear();
    }
    return read(histories);
  }

  private static List<HammerHistory> read(Path histories) {
    return Competitor.NAMES.stream().map(name -> HammerHistory.read(histories, name)).toList();
  }

  private static long sum(List<HammerHistory> histories, String what) {
    return histories.stream().mapToLong(history -> history.count(what)).sum();
  }

  private void disturb(Path directory, Path histories, boolean hasGuard, LockStore watched) {
    int victim = victim(watched);
    Process process = processes.get(victim);
    if (!process.isAlive()) {
      throw new AssertionError("a process ended by itself with " + process.exitValue());
    }
    if (stopped.containsKey(process)) {
      return;
    }
    switch (random.nextInt(5)) {
      case 0 -> {
        process.destroyForcibly();
        ChildJvm.exitCode(process);
        kills++;
        processes.set(victim, start(directory, histories, hasGuard));
      }
      case 1, 2 -> {
        if (stopped.size() < 2) {
          ChildJvm.signal(process, "STOP");
          stopped.put(process, time.nanos());
          stops++;
        }
      }
      default -> {
      }
    }
  }

  /** The current holder in half of the cases, otherwise any process. */
  private int victim(LockStore watched) {
    if (random.nextBoolean()
        && watched.view(Competitor.NAMES.get(random.nextInt(Competitor.NAMES.size())))
            .leaseState() instanceof LeaseState.Held(var lease, var _)) {
      for (int i = 0; i < processes.size(); i++) {
        if (processes.get(i).pid() == lease.holder().pid()) {
          return i;
        }
      }
    }
    return random.nextInt(processes.size());
  }

  private void goOn(boolean all) {
    long now = time.nanos();
    stopped.entrySet().removeIf(entry -> {
      boolean due = all || now - entry.getValue() > STOP.toNanos();
      if (due) {
        ChildJvm.signal(entry.getKey(), "CONT");
      }
      return due;
    });
  }

  private Process start(Path directory, Path histories, boolean hasGuard) {
    String id = "p" + started++;
    return ChildJvm.start(HammerMain.class,
        List.of(directory.toString(), id, histories.resolve(id).toString(), Boolean.toString(hasGuard)),
        temp.resolve(id + ".output"));
  }
}
