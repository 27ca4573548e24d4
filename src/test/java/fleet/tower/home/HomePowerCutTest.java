package fleet.tower.home;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.audit.AuditEvent;
import fleet.tower.audit.AuditLog;
import fleet.tower.audit.jsonl.AuditFiles;
import fleet.tower.harness.Ext4Image;
import fleet.tower.harness.LongProfile;
import fleet.tower.harness.ProofsProfile;
import fleet.tower.lease.Actors;
import fleet.tower.lease.FencingToken;
import fleet.tower.lease.LeaseState;
import fleet.tower.lease.Ttl;
import fleet.tower.lock.AcquireOutcome;
import fleet.tower.lock.LockStore;
import fleet.tower.lock.ReleaseOutcome;
import fleet.tower.lock.TestRequest;
import fleet.tower.lock.file.FileLocks;
import fleet.tower.platform.SyncGroup;
import fleet.tower.platform.disk.RecordedFiles.Recorder;
import fleet.tower.platform.time.SystemTime;
import fleet.tower.run.Run;
import fleet.tower.run.RunStatus;
import fleet.tower.run.RunStore;
import fleet.tower.run.Runs;
import fleet.tower.run.sql.SqlRuns;

@DisplayName("A run, its lock and its audit events on a real ext4 file system, as a power cut leaves it")
class HomePowerCutTest {
  private final Path temp;

  HomePowerCutTest(@TempDir Path temp) {
    this.temp = temp;
  }

  @BeforeEach
  void requireMounts() {
    assumeTrue(Ext4Image.isPossible(temp), "this process may not mount a file");
  }

  /** The stores of a home, opened as the first process of a boot does. */
  private record Stores(Path root, boolean isSynced, LockStore locks, RunStore runs, AuditLog audit)
      implements
        AutoCloseable {
    static Stores open(Path root, boolean isSynced) {
      AuditFiles audit = new AuditFiles(root.resolve("logs/audit"), SystemTime.scheduler(), _ -> {});
      SqlRuns runs = new SqlRuns("jdbc:sqlite:" + root.resolve("state/tower.db"));
      FileLocks.Opened locks = new FileLocks(root.resolve("logs/locks"), true, SystemTime.source(),
          SystemTime.scheduler(), _ -> true, _ -> {}).open(new HomeRecords(root, runs, audit));
      locks.restore().run();
      Recorder recorder = isSynced ? locks.recorder() : record -> {
        var _ = locks.recorder().append(record);
        return () -> {};
      };
      return new Stores(root, isSynced, locks.store(), runs.open(recorder), audit.log(recorder));
    }

    /** What a run does before its first step. */
    void begin(TestRequest request, Run run) {
      boolean _ = SyncGroup.together(() -> {
        assertThat(runs.begin(Runs.claim(run.requestId().value()), run, "executor")).isEqualTo(new RunStore.New());
        if (isSynced) {
          assertThat(locks.acquire(request.request())).isInstanceOf(AcquireOutcome.Granted.class);
        }
        return audit.write(List.of(begun(run)));
      });
    }

    /** What a run does after its last step. */
    void end(TestRequest request, Run run) {
      boolean _ = SyncGroup.together(() -> {
        if (isSynced) {
          assertThat(locks.release(request.name(), request.owner(), FencingToken.NONE))
              .isInstanceOf(ReleaseOutcome.Released.class);
        }
        runs.save(run, true);
        return audit.write(List.of(ended(run)));
      });
    }

    List<String> lines() throws IOException {
      List<String> lines = new ArrayList<>();
      if (Files.exists(root.resolve("logs/audit"))) {
        try (Stream<Path> days = Files.list(root.resolve("logs/audit"))) {
          for (Path day : days.toList()) {
            lines.addAll(Files.readAllLines(day));
          }
        }
      }
      return lines;
    }

    @Override
    public void close() {
      runs.close();
      locks.close();
    }
  }

  private static AuditEvent begun(Run run) {
    return new AuditEvent.LockAcquired(run.requestId(), Runs.NOON, TestRequest.by("r", "prod").name(), "/prod.lock",
        Ttl.DEFAULT, Actors.ORIGIN);
  }

  private static AuditEvent ended(Run run) {
    return new AuditEvent.LockReleased(run.requestId(), Runs.NOON, TestRequest.by("r", "prod").name(), 9, "success",
        null,
        Actors.ORIGIN);
  }

  @Test
  @DisplayName("12 copies at reports: no acknowledged start or end is lost")
  void few() throws IOException {
    assertThat(lost(6, true)).isEmpty();
  }

  @Test
  @LongProfile
  @Timeout(1800)
  @DisplayName("500 copies at reports: no acknowledged start or end is lost")
  void many() throws IOException {
    assertThat(lost(250, true)).isEmpty();
  }

  @Test
  @DisplayName("Without a lock and a sync of these records, copies have lost runs and events")
  @ProofsProfile
  void withoutSyncs() throws IOException {
    assertThat(lost(3, false)).anyMatch(it -> it.contains(" is Optional.empty")).anyMatch(it -> it.contains(" events"));
  }

  /** Performs runs, and takes a copy after each report; returns what the copies have lost. */
  private List<String> lost(int count, boolean isSynced) throws IOException {
    List<String> lost = new ArrayList<>();
    try (Ext4Image disk = Ext4Image.create(temp.resolve("disk"), 32);
        Stores stores = Stores.open(disk.directory(), isSynced)) {
      List<Run> finished = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        TestRequest request = TestRequest.by("r" + i, "prod");
        Run run = Runs.waiting("r" + i);
        stores.begin(request, run);
        lost.addAll(compare(disk.cut(), finished, run));
        Run end = run.finished(RunStatus.SUCCEEDED, Runs.NOON.plusSeconds(9));
        stores.end(request, end);
        finished.add(end);
        lost.addAll(compare(disk.cut(), finished, null));
      }
    }
    return lost;
  }

  /** Restores a copy, and compares it with what was reported. */
  private List<String> compare(byte[] cut, List<Run> finished, @Nullable Run begun)
      throws IOException {
    List<String> lost = new ArrayList<>();
    try (Ext4Image copy = Ext4Image.of(cut, temp.resolve("copy"));
        Stores stores = Stores.open(copy.directory(), true)) {
      List<Run> reported = new ArrayList<>(finished);
      if (begun != null) {
        reported.add(begun);
      }
      List<String> lines = stores.lines();
      for (Run run : reported) {
        if (!stores.runs().find(run.requestId()).equals(Optional.of(run))) {
          lost.add("run " + run.requestId() + " is " + stores.runs().find(run.requestId()));
        }
        long events = lines.stream().filter(line -> line.contains("\"" + run.requestId() + "\"")).count();
        if (events != (run.equals(begun) ? 1 : 2)) {
          lost.add("run " + run.requestId() + " has " + events + " events");
        }
      }
      boolean isHeld = stores.locks().view(TestRequest.by("r", "prod").name()).leaseState() instanceof LeaseState.Held;
      if (isHeld != (begun != null)) {
        lost.add("the lock is " + (isHeld ? "held" : "free"));
      }
    }
    return lost;
  }
}
