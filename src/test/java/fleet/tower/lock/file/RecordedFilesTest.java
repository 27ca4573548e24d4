package fleet.tower.lock.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.lease.LeaseState;
import fleet.tower.lock.AcquireOutcome;
import fleet.tower.lock.HaltSource;
import fleet.tower.lock.LockStore;
import fleet.tower.lock.TestRequest;
import fleet.tower.platform.StorageException;
import fleet.tower.platform.disk.Journal;
import fleet.tower.platform.disk.RecordedFiles;
import fleet.tower.platform.time.SystemTime;

@DisplayName("Records of other files in the journal of the locks")
class RecordedFilesTest {
  private static final TestRequest ANNA = TestRequest.by("req_a", "prod");
  private static final String RECORD = "{\"other\":1}";

  private final Path locks;
  @AutoClose
  private final FileFixture files;
  private final List<String> events = new ArrayList<>();
  private @Nullable String failure;

  RecordedFilesTest(@TempDir(factory = InMemoryDirectory.class) Path temp) {
    locks = temp.resolve("locks");
    files = new FileFixture(locks);
  }

  /** Files of which only the events are of interest here. */
  private final class Noted implements RecordedFiles {
    @Override
    public void restore(List<String> records) throws IOException {
      event("restored " + records.stream().filter(record -> record.contains("other")).toList());
    }

    @Override
    public void sync() throws IOException {
      event("synced, old journal " + (Files.exists(locks.resolve(Journal.PREVIOUS)) ? "there" : "gone"));
    }

    private void event(String event) throws IOException {
      events.add(event + ", lock " + (Files.exists(files.lock("prod")) ? "there" : "absent"));
      if (failure != null) {
        throw new IOException(failure);
      }
    }
  }

  private FileLockStore store(long limit) {
    DirectoryCheck check = new DirectoryCheck(locks, true, files.time(), _ -> {});
    return new FileLockStore(new NioLockDirectory(locks, DirectoryGuard.share(locks, check,
        new DirectoryGuard.GuardContext(SystemTime.source(), SystemTime.scheduler(), () -> {}))), files.time(), limit,
        new Noted(), _ -> {}, HaltSource.NONE);
  }

  private static void record(FileLockStore store) {
    try {
      Objects.requireNonNull(store.append(RECORD)).sync();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  @DisplayName("They are restored after another boot, before anything is granted, and not in the same boot")
  void restored() {
    try (FileLockStore store = store(Journal.LIMIT)) {
      record(store);
      record(store);
      assertThat(events).containsExactly("restored [], lock absent", "synced, old journal there, lock absent");
    }
    PowerCut.reboot(locks);
    events.clear();
    for (int process = 0; process < 2; process++) {
      try (FileLockStore store = store(Journal.LIMIT)) {
        store.restore();
        assertThat(store.acquire(ANNA.request())).isNotNull();
      }
    }
    assertThat(events).containsExactly("restored [" + RECORD + ", " + RECORD + "], lock absent",
        "synced, old journal there, lock absent");
  }

  @Test
  @DisplayName("If they cannot be restored, nothing is granted, and the next attempt has them too")
  void notRestored() {
    try (FileLockStore store = store(Journal.LIMIT)) {
      record(store);
    }
    PowerCut.reboot(locks);
    failure = "no space left";
    try (LockStore store = store(Journal.LIMIT)) {
      assertThatThrownBy(() -> store.acquire(ANNA.request())).isInstanceOf(StorageException.class)
          .hasMessageContaining("no space left");
      assertThat(store.view(ANNA.name()).leaseState()).isInstanceOf(LeaseState.Vacant.class);
      failure = null;
      events.clear();
      assertThat(store.acquire(ANNA.request())).isInstanceOf(AcquireOutcome.Granted.class);
    }
    assertThat(events.getFirst()).isEqualTo("restored [" + RECORD + "], lock absent");
  }

  @Test
  @DisplayName("A journal that is too long is replaced when the changes of its records are on disk, and not before")
  void replaced() {
    try (FileLockStore store = store(1)) {
      record(store);
      events.clear();
      failure = "disk broken";
      record(store);
      assertThat(events).contains("synced, old journal there, lock absent");
      assertThat(files.names()).contains(Journal.PREVIOUS);

      failure = null;
      record(store);
      assertThat(files.names()).doesNotContain(Journal.PREVIOUS);
    }
  }
}
