package fleet.tower.lock.file;

import static fleet.tower.lease.Actors.ACTOR;
import static fleet.tower.lease.Actors.ORIGIN;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import fleet.tower.audit.AuditEvent;
import fleet.tower.audit.Origin;
import fleet.tower.lease.Actors;
import fleet.tower.lease.FencingToken;
import fleet.tower.lease.Holder;
import fleet.tower.lease.Lease;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.LeaseState;
import fleet.tower.lease.Owner;
import fleet.tower.lease.RequestId;
import fleet.tower.lock.AcquireOutcome;
import fleet.tower.lock.ForceReleaseOutcome;
import fleet.tower.lock.LockClient.ForcedRelease;
import fleet.tower.lock.Locks;
import fleet.tower.lock.ReleaseOutcome;
import fleet.tower.lock.RenewOutcome;
import fleet.tower.lock.TestRequest;

@DisplayName("A lock file matches the specification byte for byte")
class LockFileFormatTest {
  private static final LeaseName NAME = new LeaseName("money-tracker-production");
  private static final RequestId ANNA = new RequestId("req_abc123def456");

  @TempDir
  private Path temp = Path.of("not-yet");
  private FileFixture files = new FileFixture(Path.of("not-yet"));

  @BeforeEach
  void open() {
    files = new FileFixture(temp.resolve("logs/locks"));
  }

  @AfterEach
  void close() {
    files.close();
  }

  private static TestRequest anna() {
    return TestRequest.by(ANNA.value(), NAME.value());
  }

  @Test
  @DisplayName("TF-3.1 TF-2.8 TF-B8 the members of the specification, in its order, with the requested ttl")
  void writesTheSpecifiedBytes() {
    files.time().advance(Duration.ofMillis(999));
    files.granted(anna().withTtl(1800));

    assertThat(files.text(NAME.value())).isEqualTo("""
        {
          "lock_version": "v1",
          "lock_name": "money-tracker-production",
          "request_id": "req_abc123def456",
          "actor": "claude-code",
          "intent": "deploy-app",
          "intent_version": "1.2.0",
          "host_id": "tower-01",
          "pid": 12345,
          "created_at": "2025-12-18T10:30:10Z",
          "last_heartbeat_at": "2025-12-18T10:30:10Z",
          "ttl_seconds": 1800,
          "metadata": {"fencing_token":1}
        }
        """);
    assertThat(files.store().pathOf(NAME)).isEqualTo(temp + "/logs/locks/money-tracker-production.lock");
    assertThat(files.names()).containsExactly(".guard", ".journal", ".money-tracker-production.1.granted",
        ".money-tracker-production.beat", ".money-tracker-production.fence", "money-tracker-production.lock");
    assertThat(FileFixture.read(files.directory().resolve(".money-tracker-production.fence"))).asString()
        .isEqualTo("000000000000000001\n");
  }

  @Test
  @DisplayName("TF-10.1 TF-12.1 TF-A38 the directory has mode 0700 and every file in it 0600, even after a heartbeat")
  void keepsItsFilesToItself() throws IOException {
    files.granted(anna());
    files.store().renew(NAME, Owner.ofAnyActor(ANNA), FencingToken.NONE);

    assertThat(mode(files.directory())).isEqualTo("rwx------");
    for (String file : files.names()) {
      assertThat(mode(files.directory().resolve(file))).as(file).isEqualTo("rw-------");
    }
  }

  @Test
  @DisplayName("A heartbeat writes over the file before the last one, unless that has another name, and the release "
      + "removes it")
  void reusesFiles() throws IOException {
    Lease lease = files.granted(anna());
    Path other = files.directory().resolve("other");
    beat(lease);
    // The file of the grant is its witness too.
    beat(lease);
    Object first = inode(".money-tracker-production.spare");
    Object second = inode(NAME.value() + ".lock");
    beat(lease);
    assertThat(inode(NAME.value() + ".lock")).isEqualTo(first);
    assertThat(inode(".money-tracker-production.spare")).isEqualTo(second);

    Files.createLink(other, files.lock(NAME.value()));
    byte[] before = FileFixture.read(other);
    for (int i = 0; i < 3; i++) {
      beat(lease);
      assertThat(FileFixture.read(other)).isEqualTo(before);
      assertThat(inode(NAME.value() + ".lock")).isNotEqualTo(inode("other"));
    }
    Files.delete(other);
    beat(lease);
    assertThat(files.names()).containsExactly(".guard", ".journal", ".money-tracker-production.1.granted",
        ".money-tracker-production.beat", ".money-tracker-production.fence", ".money-tracker-production.spare",
        "money-tracker-production.lock");

    assertThat(files.store().release(NAME, lease.owner(), lease.token())).isInstanceOf(ReleaseOutcome.Released.class);
    assertThat(files.names()).containsExactly(".guard", ".journal", ".money-tracker-production.beat",
        ".money-tracker-production.fence");
  }

  private void beat(Lease lease) {
    files.time().advance(Duration.ofSeconds(30));
    assertThat(files.store().renew(NAME, lease.owner(), lease.token())).isInstanceOfSatisfying(
        RenewOutcome.Renewed.class, renewed -> assertThat(renewed.lease().lease().lastHeartbeatAt())
            .isEqualTo(files.time().now()).isEqualTo(held().lastHeartbeatAt()));
  }

  private Lease held() {
    return ((LeaseState.Held) files.store().view(NAME).leaseState()).lease();
  }

  private Object inode(String file) throws IOException {
    return Files.getAttribute(files.directory().resolve(file), "unix:ino");
  }

  private static String mode(Path file) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
  }

  @Test
  @DisplayName("LK-3 LK-B21 T9 TF-5.3 TF-5.4 TF-5.5 a hundred heartbeats change one member and keep every other byte")
  void beatsAHundredTimes() {
    String strange = """
        {"future":{"deep":[1,{"a":null}]},"big":123456789012345678901234567890,"float":1.10,"exp":1E+2,
        \t"lock_version":"v1","lock_name":"money-tracker-production",  "request_id":"req_abc123def456",
        "actor":"Zo\\u00eb \\ud83d\\ude00 \u00e9 \ud83d\ude80","intent":"a\\/b","intent_version":"1.10",
        "last_heartbeat_at" : "2025-12-18T10:30:10.5+00:00" , "host_id":"t","pid":1,
        "created_at":"2025-12-18T10:30:10Z","ttl_seconds":900,"metadata":{"last_heartbeat_at":"mine","x":[ ]}}\r

        """;
    files.put(NAME.value(), strange);
    for (int beat = 1; beat <= 100; beat++) {
      files.time().advance(Duration.ofSeconds(37));
      RenewOutcome outcome = files.store().renew(NAME, Owner.ofAnyActor(ANNA), FencingToken.NONE);
      assertThat(outcome).isInstanceOf(RenewOutcome.Renewed.class);
    }

    assertThat(files.text(NAME.value()))
        .isEqualTo(strange.replace("2025-12-18T10:30:10.5+00:00", "2025-12-18T11:31:50Z"));
    assertThat(files.names()).containsExactly(".guard", ".journal", ".money-tracker-production.0.granted",
        ".money-tracker-production.beat", "money-tracker-production.lock");
  }

  @Test
  @DisplayName("TF-A1 TF-A9 a steal is audited with the hash of the exact replaced bytes, followed by an acquire")
  void hashesTheBytesThatWent() {
    files.put(NAME.value(), LockTexts.of(NAME.value(), "req_old", "2025-12-18T10:30:10Z") + "\n\t \n");
    String hash = sha256(files.bytes(NAME.value()));
    files.time().advance(Duration.ofHours(1));

    AcquireOutcome outcome = files.locks().acquire(anna().withForce().request());

    assertThat(outcome).isInstanceOfSatisfying(AcquireOutcome.Granted.class, granted -> {
      assertThat(granted.previous()).isNotNull().extracting("hash").isEqualTo(hash);
      Lease lease = granted.lease().lease();
      assertThat(files.audit().events()).hasSize(4).first().isInstanceOfSatisfying(AuditEvent.LockStolen.class,
          event -> {
            assertThat(event.previousHash()).isEqualTo(hash);
            assertThat(event.previous().requestId()).isEqualTo(new RequestId("req_old"));
            assertThat(files.audit().events()).startsWith(Actors.pair(event).toArray(AuditEvent[]::new));
          });
      assertThat(files.audit().events()).endsWith(Actors.pair(new AuditEvent.LockAcquired(ANNA, lease.createdAt(), NAME,
          files.store().pathOf(NAME), lease.ttl(), Actors.of(lease.holder()))).toArray(AuditEvent[]::new));
    });
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "\u0000\u0001 not JSON", "null"})
  @DisplayName("TF-A1 TF-A40 a force release is audited with actor, reason and the hash of the exact bytes, "
      + "readable or not")
  void hashesWhatCannotBeRead(String content) {
    files.put(NAME.value(), content);
    Locks locks = files.locks();

    ForceReleaseOutcome outcome = locks.forceRelease(ACTOR, NAME, new ForcedRelease(ANNA, "nobody holds it", false));

    String hash = sha256(content.getBytes(StandardCharsets.UTF_8));
    assertThat(outcome).isInstanceOfSatisfying(ForceReleaseOutcome.Removed.class,
        removed -> assertThat(removed.previous().hash()).isEqualTo(hash));
    assertThat(files.audit().events()).containsExactly(new AuditEvent.LockForceReleased(ANNA, files.time().now(), NAME,
        locks.pathOf(NAME), "nobody holds it", null, hash, false, ORIGIN));
  }

  @Test
  @DisplayName("TF-4.3 TF-8.1 TF-A29 acquire and release are audited with the fields that the specification "
      + "names, in its order")
  void auditsAcquireAndRelease() {
    Locks locks = files.locks();
    Lease lease = ((AcquireOutcome.Granted) locks.acquire(anna().request())).lease().lease();
    files.time().advance(Duration.ofMillis(890_900));

    ReleaseOutcome outcome = locks.release(ACTOR, NAME, Owner.ofAnyActor(ANNA), lease.token(), Locks.Result.FAILURE,
        "deploy_manifests");

    assertThat(outcome).isEqualTo(new ReleaseOutcome.Released(lease, files.time().now()));
    List<AuditEvent> expected = new ArrayList<>(Actors.pair(new AuditEvent.LockAcquired(ANNA, lease.createdAt(), NAME,
        locks.pathOf(NAME), lease.ttl(), Actors.of(lease.holder()))));
    expected.addAll(Actors.pair(new AuditEvent.LockReleased(ANNA, files.time().now(), NAME, 890, "failure",
        "deploy_manifests", Origin.of(ACTOR, lease.holder()))));
    assertThat(files.audit().events()).isEqualTo(expected);
    assertThat(files.names()).containsExactly(".guard", ".journal", ".money-tracker-production.beat",
        ".money-tracker-production.fence");
  }

  @Test
  @DisplayName("TF-3.2 whatever a holder's name, its file is valid JSON and reads back the same")
  void survivesStrangeHolders() {
    Holder strange = new Holder("a\"\\ \ud83d\ude00", "i", "1",
        "h", Long.MIN_VALUE, false);
    AcquireOutcome outcome = files.store()
        .acquire(TestRequest.of(NAME, ANNA, strange, anna().ttl(), false));

    assertThat(outcome).isInstanceOfSatisfying(AcquireOutcome.Granted.class, granted -> assertThat(
        files.store().view(NAME).leaseState()).isInstanceOfSatisfying(LeaseState.Held.class,
            held -> assertThat(held.lease()).isEqualTo(granted.lease().lease())));
    assertThat(files.text(NAME.value())).contains("\"actor\": \"a\\\"\\\\ \ud83d\ude00\"");
  }

  private static String sha256(byte[] bytes) {
    try {
      return "sha256:" + HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError(e);
    }
  }
}
