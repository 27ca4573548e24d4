package fleet.tower.lock.file;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicBoolean;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.lease.FencingToken;
import fleet.tower.lease.LeaseState;
import fleet.tower.lock.ReleaseOutcome;
import fleet.tower.lock.TestRequest;
import fleet.tower.lock.move.MovingLock;
import fleet.tower.platform.disk.RecordedFiles;
import fleet.tower.platform.time.system.SystemTime;

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

  private static void assertAbove(MovingLock moving) {
    assertThat(moving.state()).isInstanceOfSatisfying(LeaseState.Held.class,
        held -> assertThat(held.lease().token()).isGreaterThanOrEqualTo(moving.counter()));
  }
}
