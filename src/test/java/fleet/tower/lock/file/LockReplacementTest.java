package fleet.tower.lock.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import fleet.tower.harness.Extent;
import fleet.tower.lease.Decision;
import fleet.tower.lease.FencingToken;
import fleet.tower.lease.Lease;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.RequestId;
import fleet.tower.lock.AcquireOutcome;
import fleet.tower.lock.LockStore;
import fleet.tower.lock.RenewOutcome;
import fleet.tower.lock.TestRequest;
import fleet.tower.platform.StorageException;
import fleet.tower.platform.disk.NameExchange;
import fleet.tower.platform.time.SystemTime;

@DisplayName("TF-11.3 TF-10.3 a lock that another program removes or replaces at any moment of a heartbeat or a steal is "
    + "neither brought back nor lost")
class LockReplacementTest {
  private static final LeaseName PROD = new LeaseName("prod");
  private static final TestRequest ANNA = TestRequest.by("req_anna", "prod");
  private static final String THEIRS = LockTexts.of("prod", "req_foreign", "2025-12-18T10:30:20Z");
  private static final String LATER = LockTexts.of("prod", "req_later", "2025-12-18T10:30:20Z");
  private static final String EXCHANGE = "exchange prod.lock";
  private static final int REMOVALS = Extent.of(20, 300, 300);
  private static final int RENEWING = 3;

  private final Path temp;
  @AutoClose
  private final FileFixture files;

  LockReplacementTest(@TempDir(factory = InMemoryDirectory.class) Path temp) {
    this.temp = temp;
    files = new FileFixture(temp.resolve("locks"));
  }

  /** What another program does to the lock. */
  private interface Change {
    void make() throws IOException;
  }

  private void remove() throws IOException {
    Files.deleteIfExists(files.lock("prod"));
  }

  private void replaceBy(String lock) throws IOException {
    remove();
    Files.writeString(files.lock("prod"), lock, StandardOpenOption.CREATE_NEW);
  }

  private static String text(TappedDirectory.Call call) {
    return call.operation() + " " + call.file();
  }

  /** A store during whose calls, in this order, another program makes changes. */
  private LockStore changed(List<String> before, Change... changes) {
    List<String> moments = new ArrayList<>(before);
    List<Change> left = new ArrayList<>(List.of(changes));
    return files.kept(FileStores.on(new TappedDirectory(files.nio(true), call -> {
      if (!moments.isEmpty() && text(call).equals(moments.getFirst())) {
        moments.removeFirst();
        left.removeFirst().make();
      }
    }), files.time()));
  }

  private RenewOutcome renewed(LockStore store) {
    files.time().advance(Duration.ofSeconds(10));
    return store.renew(PROD, ANNA.owner(), new FencingToken(1));
  }

  private void requireNothingElse() {
    assertThat(files.names()).doesNotContain(".prod.spare", ".tmp-prod", ".tmp-prod.lock.new");
  }

  /** Each call of a heartbeat. */
  private int calls() {
    List<TappedDirectory.Call> calls = new ArrayList<>();
    try (FileFixture counted = new FileFixture(temp.resolve("counted"))) {
      counted.granted(ANNA);
      try (LockStore store = FileStores.on(new TappedDirectory(counted.nio(true), calls::add), counted.time())) {
        store.renew(PROD, ANNA.owner(), new FencingToken(1));
      }
    }
    return calls.size();
  }

  @Test
  @DisplayName("A lock removed before any call of a heartbeat stays removed")
  void removedAtAnyMoment() {
    List<RenewOutcome> outcomes = new ArrayList<>();
    int calls = calls();
    for (int n = 1; n <= calls; n++) {
      outcomes.add(renewedWithChange(n, this::remove));
      assertThat(files.lock("prod")).as("removed before call " + n).doesNotExist();
    }
    assertThat(outcomes).hasSizeGreaterThan(8).hasAtLeastOneElementOfType(RenewOutcome.Gone.class)
        .hasAtLeastOneElementOfType(RenewOutcome.Renewed.class);
  }

  @Test
  @DisplayName("A lock that another program creates before any call of a heartbeat, after a removal, is not lost")
  void replacedAtAnyMoment() {
    List<RenewOutcome> outcomes = new ArrayList<>();
    int calls = calls();
    for (int n = 1; n <= calls; n++) {
      outcomes.add(renewedWithChange(n, () -> replaceBy(THEIRS)));
      assertThat(files.text("prod")).as("replaced before call " + n).isEqualTo(THEIRS);
      files.store().forceRelease(PROD);
    }
    assertThat(outcomes).hasSizeGreaterThan(8).hasAtLeastOneElementOfType(RenewOutcome.Taken.class)
        .hasAtLeastOneElementOfType(RenewOutcome.Renewed.class);
  }

  private RenewOutcome renewedWithChange(int number, Change change) {
    Lease held = files.granted(ANNA);
    try (LockStore store = FileStores.on(new TappedDirectory(files.nio(true), call -> {
      if (call.number() == number) {
        change.make();
      }
    }), files.time())) {
      return store.renew(PROD, ANNA.owner(), held.token());
    }
  }

  @Test
  @DisplayName("Removed right before the exchange: the lock is gone, and nothing of the heartbeat is left")
  void removed() {
    files.granted(ANNA);
    assertThat(renewed(changed(List.of(EXCHANGE), this::remove))).isInstanceOf(RenewOutcome.Gone.class);
    assertThat(files.lock("prod")).doesNotExist();
    requireNothingElse();
  }

  @Test
  @DisplayName("Replaced right before the exchange: the holder learns of it, and the other lock has its name again")
  void replaced() {
    files.granted(ANNA);
    assertThat(renewed(changed(List.of(EXCHANGE), () -> replaceBy(THEIRS)))).isInstanceOf(RenewOutcome.Taken.class);
    assertThat(files.text("prod")).isEqualTo(THEIRS);
    requireNothingElse();
  }

  @Test
  @DisplayName("Removed once more while the other lock is set aside: the name stays free")
  void removedTwice() {
    files.granted(ANNA);
    assertThat(renewed(changed(List.of(EXCHANGE, EXCHANGE), () -> replaceBy(THEIRS), this::remove)))
        .isInstanceOf(RenewOutcome.Gone.class);
    assertThat(files.lock("prod")).doesNotExist();
    requireNothingElse();
  }

  @Test
  @DisplayName("Replaced once more while the other lock is set aside: the latest lock has the name")
  void replacedTwice() {
    files.granted(ANNA);
    assertThat(renewed(changed(List.of(EXCHANGE, EXCHANGE), () -> replaceBy(THEIRS), () -> replaceBy(LATER))))
        .isInstanceOf(RenewOutcome.Taken.class);
    assertThat(files.text("prod")).isEqualTo(LATER);
    requireNothingElse();
  }

  @Test
  @DisplayName("Only the spare removed: the heartbeat is repeated")
  void spareRemoved() {
    files.granted(ANNA);
    Path spare = files.directory().resolve(".prod.spare");
    assertThat(renewed(changed(List.of(EXCHANGE), () -> Files.delete(spare)))).isInstanceOf(RenewOutcome.Renewed.class);
    assertThat(files.text("prod")).contains("req_anna", "\"last_heartbeat_at\": \"2025-12-18T10:30:20Z\"");
  }

  @Test
  @DisplayName("A lock without a token is renewed by a file of its own, and what it replaced is not kept")
  void withoutToken() {
    files.put("prod", THEIRS);
    TestRequest foreign = TestRequest.by("req_foreign", "prod");
    files.time().advance(Duration.ofSeconds(60));
    assertThat(files.store().renew(PROD, foreign.owner(), FencingToken.NONE)).isInstanceOf(RenewOutcome.Renewed.class);
    assertThat(files.text("prod")).contains("\"last_heartbeat_at\": \"2025-12-18T10:31:10Z\"");
    requireNothingElse();
  }

  @Test
  @DisplayName("A lock that is replaced during each heartbeat by an equal one is reported, without an endless wait")
  void givesUp() {
    files.granted(ANNA);
    String ours = files.text("prod");
    int[] changes = {0};
    try (LockStore store = FileStores.on(new TappedDirectory(files.nio(true), call -> {
      if (text(call).equals(EXCHANGE)) {
        replaceBy(ours + " ".repeat(++changes[0]));
      }
    }), files.time())) {
      assertThatThrownBy(() -> renewed(store)).isInstanceOf(StorageException.class)
          .hasMessageContaining("lock prod keeps changing");
    }
    assertThat(files.text("prod")).startsWith(ours + " ");
    requireNothingElse();
  }

  @Test
  @DisplayName("A request that keeps its lock is granted a new one if it was removed, and refused if it was replaced")
  void kept() {
    files.granted(ANNA);
    assertThat(changed(List.of(EXCHANGE), () -> replaceBy(THEIRS)).acquire(ANNA.request()))
        .isInstanceOf(AcquireOutcome.Refused.class);
    assertThat(files.text("prod")).isEqualTo(THEIRS);
    files.store().forceRelease(PROD);
    files.granted(ANNA);
    assertThat(changed(List.of(EXCHANGE), this::remove).acquire(ANNA.request())).isInstanceOfSatisfying(
        AcquireOutcome.Granted.class, granted -> assertThat(granted.lease().lease().token().value()).isEqualTo(3));
    requireNothingElse();
  }

  @Test
  @DisplayName("TF-B2 a stale lock that comes alive between the last look of a steal and its exchange is not stolen")
  void steal() {
    files.granted(ANNA);
    files.time().advance(Duration.ofHours(1));
    String alive = files.text("prod").replace("18T10:30:10Z\",\n  \"ttl", "18T11:30:10Z\",\n  \"ttl");
    assertThat(alive).isNotEqualTo(files.text("prod"));
    assertThat(stolen(() -> replaceBy(alive))).isInstanceOfSatisfying(AcquireOutcome.Refused.class,
        refused -> assertThat(refused.refusal()).isInstanceOf(Decision.Blocked.class));
    assertThat(files.text("prod")).isEqualTo(alive);
    requireNothingElse();
  }

  @Test
  @DisplayName("A stale lock that becomes a directory then is not stolen either; one that is removed is free")
  void stealOfNoLock() {
    files.granted(ANNA);
    files.time().advance(Duration.ofHours(1));
    assertThat(stolen(() -> {
      remove();
      Files.createDirectory(files.lock("prod"));
    })).isEqualTo(new AcquireOutcome.Refused(new Decision.Corrupt("a directory, not a regular file")));
    assertThat(files.lock("prod")).isDirectory();
    requireNothingElse();
    files.store().forceRelease(PROD);
    files.granted(ANNA);
    files.time().advance(Duration.ofHours(1));
    assertThat(stolen(this::remove)).isInstanceOfSatisfying(AcquireOutcome.Granted.class,
        granted -> assertThat(granted.previous()).isNull());
  }

  private AcquireOutcome stolen(Change change) {
    return changed(List.of(EXCHANGE), change).acquire(TestRequest.by("req_thief", "prod").withForce().request());
  }

  /** Where the disk fails after another program's lock was set aside. */
  enum Failure {
    LOOK, PUT_BACK, AFTER_PUT_BACK
  }

  @ParameterizedTest
  @EnumSource(Failure.class)
  @DisplayName("TF-8.3 an error while another program's lock is set aside does not lose it")
  void survivesErrors(Failure failure) {
    for (boolean isSteal : List.of(false, true)) {
      files.granted(ANNA);
      files.time().advance(isSteal ? Duration.ofHours(1) : Duration.ZERO);
      int[] exchanges = {0};
      try (LockStore store = FileStores.on(new TappedDirectory(files.nio(true), new TappedDirectory.Tap() {
        private boolean hasLooked;

        @Override
        public void before(TappedDirectory.Call call) throws IOException {
          if (text(call).equals(EXCHANGE)) {
            exchanges[0]++;
          } else if (exchanges[0] == 1 && !hasLooked) {
            hasLooked = true;
            failIf(failure == Failure.LOOK, call);
          }
          if (text(call).equals(EXCHANGE) && exchanges[0] == 1) {
            replaceBy(THEIRS);
          }
          failIf(failure == Failure.PUT_BACK && text(call).equals(EXCHANGE) && exchanges[0] == 2, call);
        }

        @Override
        public void after(TappedDirectory.Call call) throws IOException {
          failIf(failure == Failure.AFTER_PUT_BACK && text(call).equals(EXCHANGE) && exchanges[0] == 2, call);
        }

        private void failIf(boolean isDue, TappedDirectory.Call call) throws IOException {
          if (isDue) {
            throw new FileSystemException(call.file(), null, "Input/output error");
          }
        }
      }), files.time())) {
        assertThatThrownBy(() -> {
          if (isSteal) {
            store.acquire(TestRequest.by("req_thief", "prod").withForce().request());
          } else {
            store.renew(PROD, ANNA.owner(), FencingToken.NONE);
          }
        }).isInstanceOf(StorageException.class).hasMessageContaining("EIO: input/output error");
      }
      assertThat(files.text("prod")).as("%s steal: %s", failure, isSteal).isEqualTo(THEIRS);
      requireNothingElse();
      files.store().forceRelease(PROD);
    }
  }

  @ParameterizedTest(name = "leftover of a crash: {0}")
  @ValueSource(booleans = {false, true})
  @DisplayName("On a file system without an exchange of names, locks are renewed, stolen and released all the same")
  void withoutExchange(boolean hasLeftover) throws IOException {
    LockStore store = files.kept(FileStores.on(withoutExchange(), files.time()));
    Lease held = files.granted(ANNA);
    if (hasLeftover) {
      Files.createLink(files.directory().resolve(".tmp-prod.lock.new"), files.lock("prod"));
    }
    for (int beat = 1; beat <= 3; beat++) {
      files.time().advance(Duration.ofSeconds(10));
      assertThat(store.renew(PROD, ANNA.owner(), held.token())).isInstanceOf(RenewOutcome.Renewed.class);
      assertThat(files.text("prod")).contains("\"last_heartbeat_at\": \"2025-12-18T10:30:" + (10 + 10 * beat) + "Z\"");
      assertThat(files.names()).contains(".prod.spare").doesNotContain(".tmp-prod.lock.new");
    }
    files.time().advance(Duration.ofHours(1));
    AcquireOutcome stolen = store.acquire(TestRequest.by("req_thief", "prod").withForce().request());
    assertThat(stolen).isInstanceOfSatisfying(AcquireOutcome.Granted.class, granted -> {
      assertThat(granted.lease().lease().token()).isGreaterThan(held.token());
      assertThat(granted.previous()).isNotNull();
    });
    assertThat(renewed(store)).isInstanceOf(RenewOutcome.Taken.class);
    store.release(PROD, TestRequest.owner(new RequestId("req_thief")), FencingToken.NONE);
    assertThat(files.names()).containsExactly(".guard", ".journal", ".prod.beat", ".prod.fence");
  }

  @Test
  @DisplayName("Without an exchange, a lock that was removed before the first step stays removed")
  void removedWithoutExchange() {
    files.granted(ANNA);
    LockStore store = files.kept(FileStores.on(new TappedDirectory(withoutExchange(), call -> {
      if (text(call).equals(EXCHANGE)) {
        remove();
      }
    }), files.time()));
    assertThat(renewed(store)).isInstanceOf(RenewOutcome.Gone.class);
    assertThat(files.lock("prod")).doesNotExist();
    requireNothingElse();
  }

  private NioLockDirectory withoutExchange() {
    DirectoryCheck check = new DirectoryCheck(files.directory(), true, files.time(), _ -> {});
    return new NioLockDirectory(files.directory(), DirectoryGuard.share(files.directory(), check,
        new DirectoryGuard.GuardContext(SystemTime.source(), SystemTime.scheduler(), () -> {})),
        new NioLockDirectory.Kernel() {
          @Override
          public NameExchange.Outcome exchange(Path file, Path other) {
            return NameExchange.Outcome.UNSUPPORTED;
          }
        });
  }

  @Test
  @DisplayName("Of many removals by hand beside " + RENEWING + " threads that renew without pause, none is "
      + "undone")
  void neverComesBack() throws Exception {
    List<AtomicReference<Lease>> held = new ArrayList<>();
    List<Semaphore> renewals = new ArrayList<>();
    int cameBack = 0;
    ExecutorService threads = Executors.newFixedThreadPool(RENEWING);
    try {
      for (int thread = 0; thread < RENEWING; thread++) {
        AtomicReference<Lease> own = new AtomicReference<>(files.granted(TestRequest.by("req_anna", "prod-" + thread)));
        Semaphore ended = new Semaphore(0);
        held.add(own);
        renewals.add(ended);
        threads.execute(() -> {
          while (!Thread.currentThread().isInterrupted()) {
            files.store().renew(own.get().name(), ANNA.owner(), own.get().token());
            ended.release();
          }
        });
      }
      for (int removal = 0; removal < REMOVALS; removal++) {
        int thread = removal % RENEWING;
        Path lock = files.lock("prod-" + thread);
        awaitRenewals(renewals.get(thread));
        Files.delete(lock);
        awaitRenewals(renewals.get(thread));
        cameBack += Files.deleteIfExists(lock) ? 1 : 0;
        held.get(thread).set(files.granted(TestRequest.by("req_anna", "prod-" + thread)));
      }
    } finally {
      threads.shutdownNow();
      threads.close();
    }
    assertThat(cameBack).isZero();
  }

  /** Waits for the renewal that is under way, and the next one. */
  private static void awaitRenewals(Semaphore ended) throws InterruptedException {
    ended.drainPermits();
    assertThat(ended.tryAcquire(2, 4, TimeUnit.MINUTES)).isTrue();
  }
}
