package fleet.tower.lock.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.stream.Stream;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import fleet.tower.audit.AuditEvent;
import fleet.tower.lease.FencingToken;
import fleet.tower.lease.Lease;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.LeaseState;
import fleet.tower.lock.AcquireOutcome;
import fleet.tower.lock.ForceReleaseOutcome;
import fleet.tower.lock.LockStore;
import fleet.tower.lock.LockView;
import fleet.tower.lock.ReleaseOutcome;
import fleet.tower.lock.RenewOutcome;
import fleet.tower.lock.TestRequest;
import fleet.tower.platform.disk.Journal;
import fleet.tower.platform.time.SystemTime;

@DisplayName("TF-11.3 TF-8.1 a lock that another program removed does not come back; one that a power cut took does")
class RemovedLockTest {
  private static final LeaseName PROD = new LeaseName("prod");
  private static final TestRequest ANNA = TestRequest.by("req_anna", "prod");
  private static final String SCRIPT = LockTexts.of("prod", "req_script", "2025-12-18T10:30:10Z");

  private final Path temp;
  @AutoClose
  private final FileFixture files;
  private final Path locks;

  RemovedLockTest(@TempDir(factory = InMemoryDirectory.class) Path temp) {
    this.temp = temp;
    files = new FileFixture(temp.resolve("locks"));
    locks = files.directory();
  }

  private void reboot() {
    files.close();
    PowerCut.reboot(locks);
  }

  private static void remove(FileFixture files) {
    try {
      Files.delete(files.lock("prod"));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /** The first change on the boot restores. */
  private void restore() {
    files.store().forceRelease(new LeaseName("unused"));
  }

  private void requireFree() {
    assertThat(files.store().view(PROD).leaseState()).isEqualTo(new LeaseState.Vacant());
    assertThat(files.store().list()).isEmpty();
    restore();
    assertThat(files.store().view(PROD).leaseState()).isEqualTo(new LeaseState.Vacant());
    assertThat(files.lock("prod")).doesNotExist();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("removals")
  @DisplayName("Not after any number of boots, whether or not one of ours saw the removal")
  void staysRemoved(String how, Consumer<FileFixture> remove) {
    Lease held = files.granted(ANNA);
    remove.accept(files);
    for (int boot = 0; boot < 3; boot++) {
      reboot();
      requireFree();
    }
    assertThat(files.granted(ANNA).token()).as(how).isGreaterThan(held.token());
  }

  private static Stream<Arguments> removals() {
    return Stream.of(
        removal("rm", RemovedLockTest::remove),
        removal("rm of a lock with heartbeats", files -> {
          for (int beat = 0; beat < 3; beat++) {
            files.time().advance(Duration.ofSeconds(30));
            files.store().renew(PROD, ANNA.owner(), FencingToken.NONE);
          }
          remove(files);
        }),
        removal("rm of a stolen lock", files -> {
          files.time().advance(Duration.ofHours(1));
          files.granted(TestRequest.by("req_thief", "prod").withForce());
          remove(files);
        }),
        removal("a steal by the specification's recipe, and its release", files -> {
          files.time().advance(Duration.ofHours(1));
          files.put("prod", SCRIPT.replace("10:30:10Z", "11:30:10Z"));
          remove(files);
        }),
        removal("a script's lock that this version has renewed", files -> {
          files.store().release(PROD, ANNA.owner(), FencingToken.NONE);
          files.put("prod", SCRIPT);
          files.store().renew(PROD, TestRequest.by("req_script", "prod").owner(), FencingToken.NONE);
          remove(files);
        }),
        removal("rm, and a heartbeat and a release that found nothing", files -> {
          remove(files);
          assertThat(files.store().renew(PROD, ANNA.owner(), new FencingToken(1)))
              .isInstanceOf(RenewOutcome.Gone.class);
          assertThat(files.store().release(PROD, ANNA.owner(), FencingToken.NONE))
              .isInstanceOf(ReleaseOutcome.Absent.class);
          assertThat(files.store().forceRelease(PROD)).isInstanceOf(ForceReleaseOutcome.Absent.class);
        }),
        removal("rm after the boot that restored it", files -> {
          files.close();
          PowerCut.reboot(files.directory());
          PowerCut.loseName(files.lock("prod"));
          files.store().forceRelease(new LeaseName("unused"));
          remove(files);
        }),
        removal("rm after a boot whose power cut took only the witness", files -> {
          files.close();
          PowerCut.reboot(files.directory());
          PowerCut.loseWitness(files.lock("prod"));
          files.store().forceRelease(new LeaseName("unused"));
          remove(files);
        }),
        removal("rm of a lock that its request kept, because the first call died before the witness", files -> {
          PowerCut.loseWitness(files.lock("prod"));
          assertThat(files.store().acquire(ANNA.request())).isInstanceOf(AcquireOutcome.Kept.class);
          remove(files);
        }));
  }

  private static Arguments removal(String how, Consumer<FileFixture> remove) {
    return Arguments.of(how, remove);
  }

  @Test
  @DisplayName("Not on a copy of the disk")
  void staysRemovedOnACopy() {
    files.granted(ANNA);
    remove(files);
    reboot();
    try (FileFixture copy = new FileFixture(PowerCut.copy(locks, temp.resolve("copy")))) {
      copy.store().forceRelease(new LeaseName("unused"));
      assertThat(copy.store().list()).isEmpty();
    }
  }

  /** Dies at a call. */
  private static final class Death extends Error {
    private static final long serialVersionUID = 1;
  }

  @Test
  @DisplayName("Not if the process died, or the journal failed, between the removal and its record")
  void staysRemovedWithoutRecord() {
    for (boolean isDeath : List.of(true, false)) {
      Lease held = files.granted(ANNA);
      files.close();
      try (LockStore store = FileStores.on(new TappedDirectory(files.nio(true), call -> {
        if (call.operation().equals("append") && isDeath) {
          throw new Death();
        } else if (call.operation().equals("append")) {
          throw new FileSystemException(call.file(), null, "No space left on device");
        }
      }), files.time())) {
        store.release(PROD, held.owner(), held.token());
      } catch (Death expected) {
        // As by SIGKILL.
      }
      reboot();
      requireFree();
    }
  }

  @Test
  @DisplayName("A lock that another program put there later stays, even if its clock was behind")
  void keepsLaterLocks() {
    files.granted(ANNA);
    String later = SCRIPT.replace("10:30:10Z", "10:29:00Z");
    files.put("prod", later);
    reboot();
    assertThat(files.store().view(PROD).leaseState()).isInstanceOfSatisfying(LeaseState.Held.class,
        held -> assertThat(held.lease().requestId().value()).isEqualTo("req_script"));
    restore();
    assertThat(files.text("prod")).isEqualTo(later);
  }

  @Test
  @DisplayName("A restored lock is audited, once, by the change that restores it and not by a look")
  void audited() {
    Lease held = files.granted(ANNA);
    Lease torn = files.granted(TestRequest.by("req_torn", "torn"));
    files.granted(TestRequest.by("req_whole", "whole"));
    reboot();
    PowerCut.loseName(files.lock("prod"));
    files.put("torn", "");
    FileLocks opening = new FileLocks(locks, true, files.time(), SystemTime.scheduler(), files.audit(), _ -> {});
    for (int process = 0; process < 2; process++) {
      try (LockStore store = opening.open()) {
        assertThat(store.list()).hasSize(3);
        assertThat(files.audit().events()).hasSize(2 * process);
        store.forceRelease(new LeaseName("unused"));
      }
    }
    assertThat(files.audit().events()).containsExactly(
        new AuditEvent.LockRestored(files.time().now(), files.lock("prod").toString(), held),
        new AuditEvent.LockRestored(files.time().now(), files.lock("torn").toString(), torn));
  }

  @Test
  @DisplayName("A look during which another process restores and releases the lock shows that it is free")
  void looksAgain() {
    Lease held = files.granted(ANNA);
    reboot();
    PowerCut.loseName(files.lock("prod"));
    AtomicBoolean isReleased = new AtomicBoolean();
    try (LockStore store = FileStores.on(new TappedDirectory(files.nio(true), call -> {
      if (call.operation().equals("has") && call.file().endsWith(".granted") && isReleased.compareAndSet(false, true)) {
        files.store().release(PROD, held.owner(), held.token());
      }
    }), files.time())) {
      assertThat(store.view(PROD).leaseState()).isEqualTo(new LeaseState.Vacant());
    }
    assertThat(isReleased).isTrue();
  }

  @Test
  @DisplayName("Until a restore is possible, a look shows what it will put back, and nothing is granted")
  void looksWithoutRestore() {
    Lease held = files.granted(ANNA);
    reboot();
    PowerCut.loseName(files.lock("prod"));
    try (LockStore store = FileStores.on(new TappedDirectory(files.nio(true), call -> {
      if (call.operation().equals("create")) {
        throw new FileSystemException(call.file(), null, "No space left on device");
      }
    }), files.time())) {
      assertThat(store.list()).extracting(LockView::leaseState).singleElement()
          .isInstanceOfSatisfying(LeaseState.Held.class, seen -> assertThat(seen.lease()).isEqualTo(held));
      assertThatThrownBy(() -> store.acquire(TestRequest.by("req_bert", "prod").request()))
          .hasMessageContaining("ENOSPC");
    }
  }

  @Test
  @DisplayName("The witnesses of locks that were removed go when the journal is replaced, after it is")
  void discardsWitnesses() {
    files.granted(ANNA);
    files.granted(TestRequest.by("req_other", "other"));
    remove(files);
    reboot();
    List<String> calls = new ArrayList<>();
    try (LockStore store = FileStores.on(new TappedDirectory(files.nio(true), call -> calls.add(
        call.operation() + " " + call.file())), files.time())) {
      store.forceRelease(new LeaseName("unused"));
    }
    assertThat(files.names()).contains(".other.1.granted").doesNotContain(".prod.1.granted");
    assertThat(calls).containsSubsequence("sync " + Journal.CURRENT, "unlink " + Journal.PREVIOUS, "sync .",
        "unlink .prod.1.granted");
  }
}
