package fleet.tower.lock.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.lease.FencingToken;
import fleet.tower.lease.HeldLease;
import fleet.tower.lease.Lease;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.LeaseState;
import fleet.tower.lock.AcquireOutcome;
import fleet.tower.lock.ConcurrentCalls;
import fleet.tower.lock.LockStore;
import fleet.tower.lock.LockView;
import fleet.tower.lock.TestRequest;
import fleet.tower.platform.StorageException;
import fleet.tower.platform.disk.Journal;
import fleet.tower.platform.disk.JournalDirectory;
import fleet.tower.platform.time.SystemTime;

@DisplayName("The journal loses no record, whoever appends to it while it is replaced, and whatever fails")
class JournalTest {
  private static final LeaseName PROD = new LeaseName("prod");
  private static final int PAIRS = 150;

  private final AtomicInteger failures = new AtomicInteger();
  private final Path locks;
  @AutoClose
  private final FileFixture files;

  JournalTest(@TempDir(factory = InMemoryDirectory.class) Path temp) {
    locks = temp.resolve("locks");
    files = new FileFixture(locks);
  }

  /** The real directory; as many syncs of the journal fail as a test wants. */
  private NioLockDirectory directory() {
    DirectoryCheck check = new DirectoryCheck(locks, true, files.time(), _ -> {});
    return new NioLockDirectory(locks, DirectoryGuard.share(locks, check,
        new DirectoryGuard.GuardContext(SystemTime.source(), SystemTime.scheduler(), () -> {})),
        new NioLockDirectory.Kernel() {
          @Override
          public void content(Path file, FileChannel channel) throws IOException {
            if (file.endsWith(Journal.CURRENT) && failures.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
              throw new IOException("Input/output error");
            }
          }
        });
  }

  private static Lease granted(LockStore store, String request, String name) {
    AcquireOutcome outcome = store.acquire(TestRequest.by(request, name).request());
    if (outcome instanceof AcquireOutcome.Granted(HeldLease held, var _)) {
      return held.lease();
    }
    throw new AssertionError(request + " did not get " + name);
  }

  /** What the next boot finds where the power cut left no lock file and no counter. */
  private List<String> afterAPowerCut() {
    PowerCut.reboot(locks);
    PowerCut.loseAll(locks);
    return files.store().list().stream().map(JournalTest::identity).toList();
  }

  private static String identity(LockView view) {
    return view.leaseState() instanceof LeaseState.Held(Lease lease, var _)
        ? view.name() + " " + lease.requestId() + " " + lease.token()
        : view.toString();
  }

  @Test
  @DisplayName("Four threads of two stores, and a journal that is replaced all the time")
  void replacedAllTheTime() {
    List<ConcurrentCalls.Work<List<Object>>> threads = new ArrayList<>();
    Object first;
    try (LockStore one = FileStores.on(directory(), files.time(), 1);
        LockStore other = FileStores.on(directory(), files.time(), 1)) {
      granted(one, "req_held", "held");
      first = identityOfJournal();
      for (int thread = 0; thread < 4; thread++) {
        String name = "name-" + thread;
        LockStore store = thread % 2 == 0 ? one : other;
        threads.add(() -> pairs(store, name));
      }
      List<List<Object>> seen = ConcurrentCalls.call(threads);
      assertThat(seen).allSatisfy(identities -> assertThat(identities).hasSizeGreaterThan(3));
    }
    assertThat(identityOfJournal()).isNotEqualTo(first);
    assertThat(FileFixture.read(locks.resolve(Journal.CURRENT))).hasSizeLessThan(60_000);
    assertThat(files.names()).doesNotContain(Journal.PREVIOUS);
    assertThat(afterAPowerCut()).containsExactly("held req_held 1", "name-0 req_last " + (PAIRS + 1),
        "name-1 req_last " + (PAIRS + 1), "name-2 req_last " + (PAIRS + 1), "name-3 req_last " + (PAIRS + 1));
  }

  /** Acquires and releases a name, and holds it in the end; returns the journals that it met. */
  private List<Object> pairs(LockStore store, String name) {
    List<Object> journals = new ArrayList<>();
    for (int i = 0; i < PAIRS; i++) {
      Lease lease = granted(store, "req_" + i, name);
      store.release(lease.name(), lease.owner(), lease.token());
      Object journal = identityOfJournal();
      if (!journals.contains(journal)) {
        journals.add(journal);
      }
    }
    granted(store, "req_last", name);
    return journals;
  }

  private Object identityOfJournal() {
    try {
      return Files.readAttributes(locks.resolve(Journal.CURRENT), BasicFileAttributes.class).fileKey();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  @DisplayName("After a failed sync no record of the opened file counts, whatever later syncs return")
  void failedSync() throws IOException {
    try (NioLockDirectory directory = directory();
        JournalDirectory.Log _ = begun(directory);
        Journal journal = new Journal(directory, Journal.LIMIT)) {
      Journal.Entry first = journal.append("{\"lock\":\"a\",\"token\":1}");
      Journal.Entry second = journal.append("{\"lock\":\"b\",\"token\":1}");
      failures.set(1);
      assertThatThrownBy(first::sync).hasMessage("Input/output error");
      assertThatThrownBy(second::sync).hasMessage("Input/output error");
      assertThat(journal.isWorn()).isTrue();
      journal.append("{\"lock\":\"c\",\"token\":1}").sync();
    }
  }

  private static JournalDirectory.Log begun(NioLockDirectory directory) throws IOException {
    Files.createDirectories(Path.of(directory.pathOf(".")));
    new Journal(directory, Journal.LIMIT).begin(0);
    return directory.open(Journal.CURRENT);
  }

  @Test
  @DisplayName("A grant whose sync fails is undone, and the next one has a new journal")
  void grantWithoutSync() {
    try (LockStore store = FileStores.on(directory(), files.time())) {
      granted(store, "req_a", "other");
      Object before = identityOfJournal();
      failures.set(1);
      assertThat(store.acquire(TestRequest.by("req_b", "prod").request()))
          .isInstanceOfSatisfying(AcquireOutcome.Undone.class, undone -> assertThat(undone.leftBehind()).isFalse());
      assertThat(store.view(PROD).leaseState()).isEqualTo(new LeaseState.Vacant());
      granted(store, "req_c", "prod");
      assertThat(identityOfJournal()).isNotEqualTo(before);
    }
    assertThat(afterAPowerCut()).containsExactly("other req_a 1", "prod req_c 2");
  }

  @Test
  @DisplayName("A release whose sync fails is reported, and does not come back once the journal is replaced")
  void releaseWithoutSync() {
    try (LockStore store = FileStores.on(directory(), files.time())) {
      Lease lease = granted(store, "req_a", "prod");
      failures.set(1);
      store.release(PROD, lease.owner(), lease.token());
      granted(store, "req_b", "other");
    }
    assertThat(afterAPowerCut()).containsExactly("other req_b 1");
    assertThat(granted(files.store(), "req_c", "prod").token()).isEqualTo(new FencingToken(2));
  }

  @Test
  @DisplayName("A journal that was deleted in use: the next change fails, and the one after it begins a new journal")
  void deletedInUse() throws IOException {
    try (LockStore store = FileStores.on(directory(), files.time())) {
      granted(store, "req_a", "other");
      Files.delete(locks.resolve(Journal.CURRENT));
      AcquireOutcome outcome = null;
      for (int attempt = 0; attempt < 2 && !(outcome instanceof AcquireOutcome.Granted); attempt++) {
        try {
          outcome = store.acquire(TestRequest.by("req_b", "prod").request());
        } catch (StorageException reported) {
          assertThat(reported).hasMessageContaining(Journal.CURRENT);
        }
      }
      assertThat(outcome).isInstanceOf(AcquireOutcome.Granted.class);
    }
    assertThat(afterAPowerCut()).satisfiesExactly(one -> assertThat(one).isEqualTo("other req_a 1"),
        other -> assertThat(other).startsWith("prod req_b"));
  }
}
