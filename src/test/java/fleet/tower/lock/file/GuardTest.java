package fleet.tower.lock.file;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.audit.AuditEvent;
import fleet.tower.lease.FencingToken;
import fleet.tower.lease.Lease;
import fleet.tower.lease.RequestId;
import fleet.tower.lock.ConcurrentCalls;
import fleet.tower.lock.LockStore;
import fleet.tower.lock.ReleaseOutcome;
import fleet.tower.lock.RenewOutcome;
import fleet.tower.lock.TestRequest;

@DisplayName("The guard of a directory excludes threads and processes, whatever happens to its file")
class GuardTest {
  private static final long SLOT = FileNames.slot(StoreCall.NAME);

  @TempDir
  private Path temp = Path.of("not-yet");

  @Test
  @DisplayName("TF-A8 a replaced guard file is noticed and audited once, and all users switch to the new one")
  void noticesAReplacedGuard() throws IOException {
    try (FileFixture files = new FileFixture(temp.resolve("locks")); LockStore other = files.open(true)) {
      Lease lease = files.granted(TestRequest.by("req_anna", "prod"));
      Path guard = files.directory().resolve(".guard");
      Files.delete(guard);

      assertThat(other.renew(StoreCall.NAME, lease.owner(), lease.token()))
          .isInstanceOf(RenewOutcome.Renewed.class);
      assertThat(files.store().renew(StoreCall.NAME, lease.owner(), lease.token()))
          .isInstanceOf(RenewOutcome.Renewed.class);
      assertThat(guard).isRegularFile();
      assertThat(files.audit().events()).containsExactly(
          new AuditEvent.LockGuardReplaced(files.time().now(), files.directory().toString()));
      assertThat(excludesAnotherProcess(files)).isTrue();
    }
  }

  @Test
  @DisplayName("TF-A8 threads of one JVM never share a slot, even while the guard file is replaced repeatedly")
  void excludesWhileReplaced() throws IOException {
    try (FileFixture files = new FileFixture(temp.resolve("locks"));
        NioLockDirectory one = files.nio(true);
        NioLockDirectory two = files.nio(true)) {
      AtomicInteger inside = new AtomicInteger();
      AtomicInteger replaced = new AtomicInteger();
      AtomicBoolean overlap = new AtomicBoolean();
      List<ConcurrentCalls.Work<Integer>> works = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        NioLockDirectory directory = i % 2 == 0 ? one : two;
        works.add(() -> {
          int mine = 0;
          while (mine < 100 || replaced.get() < 50) {
            try (LockDirectory.Guard _ = directory.enter(SLOT)) {
              overlap.compareAndSet(false, inside.incrementAndGet() != 1);
              mine++;
              Thread.onSpinWait();
              inside.decrementAndGet();
            }
          }
          return mine;
        });
      }
      works.add(() -> {
        while (replaced.get() < 50) {
          replaced.addAndGet(Files.deleteIfExists(files.directory().resolve(".guard")) ? 1 : 0);
          Thread.onSpinWait();
        }
        return 0;
      });

      assertThat(ConcurrentCalls.call(works).stream().mapToInt(Integer::intValue).sum()).isGreaterThanOrEqualTo(400);
      assertThat(overlap).isFalse();
      assertThat(files.audit().events()).isNotEmpty()
          .allSatisfy(event -> assertThat(event).isInstanceOf(AuditEvent.LockGuardReplaced.class));
    }
  }

  @Test
  @DisplayName("TF-A8 closing one of two stores on a directory does not drop the guard of the other")
  void outlivesAClosedStore() throws IOException {
    try (FileFixture files = new FileFixture(temp.resolve("locks")); NioLockDirectory one = files.nio(true)) {
      NioLockDirectory two = files.nio(true);
      try (LockDirectory.Guard _ = one.enter(SLOT)) {
        two.close();
        assertThat(isEntered(files)).isTrue();
      }
      assertThat(isEntered(files)).isFalse();
    }
  }

  @Test
  @DisplayName("TF-A8 frequent interrupts of the caller break no operation and do not lose the guard")
  void standsInterrupts() {
    try (FileFixture files = new FileFixture(temp.resolve("locks"))) {
      AtomicBoolean done = new AtomicBoolean();
      Thread worker = Thread.currentThread();
      Thread rain = Thread.ofPlatform().daemon().start(() -> {
        while (!done.get()) {
          worker.interrupt();
          Thread.onSpinWait();
        }
      });
      try {
        for (int round = 0; round < 20; round++) {
          Lease lease = files.granted(TestRequest.by("req_" + round, "prod"));
          assertThat(lease.token().value()).isEqualTo(round + 1);
          assertThat(files.store().renew(StoreCall.NAME, lease.owner(), lease.token()))
              .isInstanceOf(RenewOutcome.Renewed.class);
          assertThat(files.store().list()).hasSize(1);
          assertThat(files.store().release(StoreCall.NAME, lease.owner(), lease.token()))
              .isInstanceOf(ReleaseOutcome.Released.class);
        }
      } finally {
        done.set(true);
        joinQuietly(rain);
      }
      assertThat(excludesAnotherProcess(files)).isTrue();
      assertThat(files.names()).containsExactly(".guard", ".journal", ".prod.beat", ".prod.fence");
    }
  }

  private static void joinQuietly(Thread thread) {
    boolean joined = false;
    while (!joined) {
      try {
        joined = thread.join(Duration.ofSeconds(10));
      } catch (InterruptedException stillRaining) {
        // Once more, until the rain has stopped.
      }
    }
    Thread.interrupted();
  }

  @Test
  @DisplayName("TF-A8 two directories in one JVM do not share a guard, and two names in one directory do not "
      + "block each other")
  void separatesDirectoriesAndNames() throws IOException {
    try (FileFixture files = new FileFixture(temp.resolve("locks"));
        NioLockDirectory here = files.nio(true);
        FileFixture elsewhere = new FileFixture(temp.resolve("others"));
        LockDirectory.Guard _ = here.enter(SLOT)) {
      assertThat(elsewhere.granted(TestRequest.by("req_1", "prod")).token()).isEqualTo(new FencingToken(1));
      assertThat(files.granted(TestRequest.by("req_1", "dev")).requestId()).isEqualTo(new RequestId("req_1"));
    }
  }

  /** Whether another process is excluded while we are in the slot, and admitted afterwards. */
  private static boolean excludesAnotherProcess(FileFixture files) {
    try (NioLockDirectory directory = files.nio(true)) {
      boolean excluded;
      try (LockDirectory.Guard _ = directory.enter(SLOT)) {
        excluded = isEntered(files);
      }
      return excluded && !isEntered(files);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /** Whether another process finds the slot locked. */
  private static boolean isEntered(FileFixture files) throws IOException {
    Process probe = new ProcessBuilder(ChildJvm.command(GuardProbeMain.class,
        List.of(files.directory().resolve(".guard").toString(), Long.toString(SLOT)))).redirectErrorStream(true)
        .start();
    try (BufferedReader answer = new BufferedReader(
        new InputStreamReader(probe.getInputStream(), StandardCharsets.UTF_8))) {
      String line = answer.readLine();
      ChildJvm.exitCode(probe);
      assertThat(line).isIn("taken", "free");
      return "taken".equals(line);
    }
  }
}
