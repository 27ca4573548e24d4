package fleet.tower.lock.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.StandardOpenOption;
import java.time.Duration;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import fleet.tower.lease.Decision;
import fleet.tower.lease.FencingToken;
import fleet.tower.lease.Lease;
import fleet.tower.lease.Owner;
import fleet.tower.lease.RequestId;
import fleet.tower.lock.AcquireOutcome;
import fleet.tower.lock.LockStore;
import fleet.tower.lock.ReleaseOutcome;
import fleet.tower.lock.RenewOutcome;
import fleet.tower.lock.TestRequest;
import fleet.tower.platform.StorageException;

@DisplayName("Programs that write lock files by the specification, without the guard, and the Tower exclude each other")
class ForeignWriterTest extends LockFileTest {
  private static final String THEIRS = LockTexts.of("prod", "req_foreign", "2025-12-18T10:30:10Z");

  @Test
  @DisplayName("TF-A8 TF-4.2 their exclusive creation fails on our lock, and ours is refused by theirs")
  void excludesBothWays() throws IOException {
    files.granted(TestRequest.by("req_anna", "prod"));
    assertThatThrownBy(() -> Files.writeString(files.lock("prod"), THEIRS, StandardOpenOption.CREATE_NEW))
        .isInstanceOf(FileAlreadyExistsException.class);
    files.store().release(PROD, Owner.ofAnyActor(new RequestId("req_anna")), FencingToken.NONE);

    Files.writeString(files.lock("prod"), THEIRS, StandardOpenOption.CREATE_NEW);
    assertBlockedByForeigner(files.store().acquire(TestRequest.by("req_anna", "prod").withForce().request()));
    assertThat(files.text("prod")).isEqualTo(THEIRS);
  }

  @ParameterizedTest(name = "before call {0}")
  @ValueSource(strings = {"create .tmp-prod", "link prod.lock"})
  @DisplayName("TF-A8 TF-B1 TF-10.3 a foreign file created between read and link wins, and no file of the Tower "
      + "is left")
  void losesARace(String moment) {
    try (LockStore store = storeWith(call -> {
      if (call.toString().endsWith(moment) && !Files.exists(files.lock("prod"))) {
        Files.writeString(files.lock("prod"), THEIRS, StandardOpenOption.CREATE_NEW);
      }
    })) {
      assertBlockedByForeigner(store.acquire(TestRequest.by("req_anna", "prod").withForce().request()));
    }
    assertThat(files.text("prod")).isEqualTo(THEIRS);
    assertThat(files.names()).noneMatch(name -> name.startsWith(".tmp-"));
  }

  @Test
  @DisplayName("TF-A7 TF-B2 a heartbeat between the judgement and the steal saves the lock")
  void doesNotStealWhatCameAlive() {
    files.put("prod", THEIRS);
    files.time().advance(Duration.ofHours(2));
    try (LockStore store = storeWith(call -> {
      if (call.toString().endsWith("create .tmp-prod")) {
        files.put("prod",
            THEIRS.replace("\"last_heartbeat_at\": \"2025-12-18T10", "\"last_heartbeat_at\": \"2025-12-18T12"));
      }
    })) {
      assertBlockedByForeigner(store.acquire(TestRequest.by("req_anna", "prod").withForce().request()));
    }
    assertThat(files.text("prod")).contains("req_foreign", "2025-12-18T12:30:10Z");
    assertThat(files.names()).noneMatch(name -> name.startsWith(".tmp-"));
  }

  @Test
  @DisplayName("TF-B2 a lock that becomes unreadable between the judgement and the steal is not touched")
  void doesNotStealWhatBecameUnreadable() {
    files.put("prod", THEIRS);
    files.time().advance(Duration.ofHours(2));
    try (LockStore store = storeWith(call -> {
      if (call.toString().endsWith("create .tmp-prod")) {
        Files.delete(files.lock("prod"));
        Files.createDirectory(files.lock("prod"));
      }
    })) {
      AcquireOutcome outcome = store.acquire(TestRequest.by("req_anna", "prod").withForce().request());
      assertThat(outcome).isEqualTo(new AcquireOutcome.Refused(new Decision.Corrupt(
          "a directory, not a regular file")));
    }
    assertThat(files.lock("prod")).isDirectory();
    assertThat(files.names()).noneMatch(name -> name.startsWith(".tmp-"));
  }

  @Test
  @DisplayName("TF-A8 a lock that changes at every read is reported as an error, without an endless wait")
  void givesUpOnALockThatKeepsChanging() {
    files.put("prod", THEIRS);
    files.time().advance(Duration.ofHours(2));
    int[] writes = {0};
    try (LockStore store = storeWith(call -> {
      if (call.toString().endsWith("create .tmp-prod")) {
        files.put("prod", THEIRS + " ".repeat(++writes[0]));
      }
    })) {
      assertThatThrownBy(() -> store.acquire(TestRequest.by("req_anna", "prod").withForce().request()))
          .isInstanceOf(StorageException.class).hasMessage("lock prod keeps changing: another program writes "
              + files.lock("prod") + " without following the lock protocol; stop it, then retry");
    }
    assertThat(files.text("prod")).startsWith(THEIRS);
  }

  @Test
  @DisplayName("TF-10.2 TF-A1 a foreign lock is renewed and released by a client with its request id, and "
      + "tokens continue")
  void handsOver() {
    files.put("prod", THEIRS.replace("{}", "{\"fencing_token\": 41}"));
    RequestId foreign = new RequestId("req_foreign");

    assertThat(files.store().release(PROD, Owner.ofAnyActor(new RequestId("req_anna")), FencingToken.NONE))
        .isInstanceOf(ReleaseOutcome.NotOwner.class);
    assertThat(files.store().renew(PROD, Owner.ofAnyActor(foreign), new FencingToken(41)))
        .isInstanceOf(RenewOutcome.Renewed.class);
    assertThat(files.store().release(PROD, Owner.ofAnyActor(foreign), new FencingToken(41)))
        .isInstanceOf(ReleaseOutcome.Released.class);
    assertThat(files.granted(TestRequest.by("req_anna", "prod")).token()).isEqualTo(new FencingToken(42));
  }

  private static void assertBlockedByForeigner(AcquireOutcome outcome) {
    assertThat(outcome).isInstanceOfSatisfying(AcquireOutcome.Refused.class,
        refused -> assertThat(refused.refusal()).isInstanceOfSatisfying(Decision.Blocked.class, blocked -> {
          Lease lease = blocked.lease();
          assertThat(lease.requestId()).isEqualTo(new RequestId("req_foreign"));
        }));
  }

  private LockStore storeWith(TappedDirectory.Tap tap) {
    return FileStores.on(new TappedDirectory(files.nio(true), tap), files.time());
  }
}
