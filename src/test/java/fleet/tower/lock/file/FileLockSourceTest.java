package fleet.tower.lock.file;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.lease.FencingToken;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.LeaseState;
import fleet.tower.lock.FreezeStore.FreezeOutcome;
import fleet.tower.lock.MovingLocks;
import fleet.tower.lock.MovingLocks.MovingLock;
import fleet.tower.lock.ReleaseOutcome;
import fleet.tower.lock.TestRequest;
import fleet.tower.platform.disk.RecordedFiles;
import fleet.tower.platform.time.SystemTime;

@DisplayName("The lock files that move away")
class FileLockSourceTest {
  private static final TestRequest FIRST = TestRequest.by("req_first", "prod");
  private static final TestRequest SECOND = TestRequest.by("req_second", "prod");

  @Test
  @DisplayName("A lock that passes to its next holder while it is read is not below its counter")
  void handedOver(@TempDir Path directory) {
    try (FileFixture files = new FileFixture(directory)) {
      FencingToken first = files.granted(FIRST).token();
      AtomicBoolean isHandedOver = new AtomicBoolean();
      TappedDirectory tapped = new TappedDirectory(files.nio(true), new TappedDirectory.Tap() {
        @Override
        public void before(TappedDirectory.Call call) {
          // Each call is counted.
        }

        @Override
        public void after(TappedDirectory.Call call) {
          if (call.operation().equals("read") && call.file().contains("prod")
              && isHandedOver.compareAndSet(false, true)) {
            assertThat(files.store().release(FIRST.name(), FIRST.owner(), first))
                .isInstanceOf(ReleaseOutcome.Released.class);
            files.granted(SECOND);
          }
        }
      });
      DirectoryGuard guard = DirectoryGuard.share(directory, new DirectoryCheck(directory, true, files.time(), _ -> {}),
          new DirectoryGuard.GuardContext(SystemTime.source(), SystemTime.scheduler(), () -> {}));
      try (FileLockSource source = new FileLockSource(directory, directory.resolve("mark"), tapped, guard, files.time(),
          RecordedFiles.NONE, _ -> {})) {
        assertThat(source.read()).singleElement().satisfies(FileLockSourceTest::assertAbove);
      }
      assertThat(isHandedOver).isTrue();
    }
  }

  @Test
  @DisplayName("While locks move, no name is forgotten; one that was before moves only if it is frozen, with the floor")
  void forgotten(@TempDir Path temp) throws IOException {
    Path locks = temp.resolve("locks");
    Path mark = Files.writeString(temp.resolve("moved"), "a move");
    LeaseName prod = FIRST.name();
    LeaseName other = new LeaseName("other");
    try (FileFixture files = new FileFixture(locks);
        MovingLocks source = new FileLocks(locks, true, files.time(), SystemTime.scheduler(), files.audit(), _ -> {})
            .source(mark, RecordedFiles.NONE)) {
      for (LeaseName name : List.of(prod, other, new LeaseName("gone"))) {
        TestRequest request = TestRequest.by("req_first", name.value());
        assertThat(files.store().release(name, request.owner(), files.granted(request).token()))
            .isInstanceOf(ReleaseOutcome.Released.class);
        files.used(name.value());
        assertThat(name.equals(other) || files.store().forget(name, Duration.ZERO)).isTrue();
      }
      assertThat(files.store().freeze(StoreCall.FREEZING)).isInstanceOf(FreezeOutcome.Frozen.class);

      source.stopGrants();

      assertThat(files.store().unused(Duration.ZERO, 10)).isEmpty();
      assertThat(files.store().forget(other, Duration.ZERO)).isFalse();
      assertThat(source.read()).extracting(moving -> moving.name() + " " + moving.counter())
          .containsExactly("other 2", "prod 2");
      source.resume();
      assertThat(files.store().forget(other, Duration.ZERO)).isTrue();
    }
  }

  private static void assertAbove(MovingLock moving) {
    assertThat(moving.state()).isInstanceOfSatisfying(LeaseState.Held.class,
        held -> assertThat(held.lease().token()).isGreaterThanOrEqualTo(moving.counter()));
  }
}
