package fleet.tower.lock.file;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.harness.Strace;
import fleet.tower.lease.FencingToken;
import fleet.tower.lock.AcquireOutcome;
import fleet.tower.lock.LockStore;
import fleet.tower.lock.ReleaseOutcome;
import fleet.tower.lock.TestRequest;
import fleet.tower.platform.time.ManualTime;
import fleet.tower.platform.time.SystemTime;

@DisplayName("A lock is on disk before it is reported as held")
class SyncTest {
  private static final TestRequest ASKING = TestRequest.by("r1", "prod");

  private final List<String> synced = new ArrayList<>();
  private final Path locks;
  private final Strace strace;
  private final Path output;

  SyncTest(@TempDir Path directory) {
    locks = directory.resolve("locks");
    strace = new Strace(directory.resolve("trace"));
    output = directory.resolve("output");
  }

  /** Real syncs, with a record of the files at each of them. */
  private final class Noted implements NioLockDirectory.Kernel {
    @Override
    public void content(Path file, FileChannel channel) throws IOException {
      NioLockDirectory.Kernel.super.content(file, channel);
      synced.add(file.getFileName() + " with " + records(file) + " records, lock " + lock());
    }

    @Override
    public void names(Path directory) throws IOException {
      NioLockDirectory.Kernel.super.names(directory);
      synced.add("names, lock " + lock());
    }

    private String lock() {
      return Files.exists(locks.resolve("prod.lock")) ? "there" : "absent";
    }

    private long records(Path file) throws IOException {
      try (Stream<String> lines = Files.lines(file)) {
        return lines.filter(line -> line.matches(".*(\"lock\":|\"lock_name\": )\"prod\".*")).count();
      }
    }
  }

  @Test
  @DisplayName("The record of the grant is synced after the link and before \"granted\", that of the removal before "
      + "\"released\", and nothing else once the name has a counter; a steal syncs its file first")
  void order() throws IOException {
    ManualTime time = new ManualTime();
    DirectoryGuard guard = DirectoryGuard.share(locks, new DirectoryCheck(locks, true, time, _ -> {}),
        new DirectoryGuard.GuardContext(SystemTime.source(), SystemTime.scheduler(), () -> {}));
    try (LockStore store = FileStores.on(new NioLockDirectory(locks, guard, new Noted()), time)) {
      assertThat(store.acquire(ASKING.request())).isInstanceOf(AcquireOutcome.Granted.class);
      assertThat(synced).containsSubsequence("names, lock absent", ".tmp-prod.fence.new with 0 records, lock absent",
          ".journal with 1 records, lock there");
      assertThat(synced.getLast()).isEqualTo(".journal with 1 records, lock there");
      synced.clear();

      assertThat(store.release(ASKING.name(), ASKING.owner(), FencingToken.NONE))
          .isInstanceOf(ReleaseOutcome.Released.class);
      assertThat(store.acquire(ASKING.request())).isInstanceOf(AcquireOutcome.Granted.class);

      assertThat(synced).containsExactly(".journal with 2 records, lock absent",
          ".journal with 3 records, lock there");
      synced.clear();
      time.advance(Duration.ofHours(1));
      assertThat(store.acquire(TestRequest.by("r2", "prod").withForce().request()))
          .isInstanceOf(AcquireOutcome.Granted.class);

      assertThat(synced).containsExactly(".tmp-prod with 1 records, lock there",
          ".journal with 4 records, lock there");
    }
  }

  @Test
  @DisplayName("The kernel sees link, fdatasync of the journal, and only then the response: two syncs for a grant and "
      + "its release")
  void systemCalls() {
    List<String> command = strace.of("fsync,fdatasync,link,linkat,unlink,unlinkat,write",
        ChildJvm.command(SyncMain.class, List.of(locks.toString())));
    assertThat(ChildJvm.exitCode(ChildJvm.start(SyncMain.class, List.of(locks.toString()), output))).isZero();

    assertThat(ChildJvm.exitCode(ChildJvm.start(command, output))).isZero();

    assertThat(output).hasContent("acquired\nreleased");
    List<String> calls = strace.calls();
    Path journal = locks.resolve(".journal");
    int linked = Strace.first(calls, 0, call -> call.contains("link(") && call.contains("prod.lock\""));
    int recorded = Strace.first(calls, linked, call -> Strace.isSync(call, journal));
    int told = Strace.first(calls, 0, call -> call.contains("write(1") && call.contains("acquired"));
    assertThat(List.of(linked, recorded, told)).isSorted();

    int gone = Strace.first(calls, told, call -> call.contains("unlink") && call.contains("prod.lock\""));
    int synced = Strace.first(calls, gone, call -> Strace.isSync(call, journal));
    int toldOfEnd = Strace.first(calls, told, call -> call.contains("write(1") && call.contains("released"));
    assertThat(List.of(gone, synced, toldOfEnd)).isSorted();
    assertThat(calls).filteredOn(call -> call.contains("sync(")).hasSize(2);
  }
}
