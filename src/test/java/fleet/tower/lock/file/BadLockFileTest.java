package fleet.tower.lock.file;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import fleet.tower.lease.Decision;
import fleet.tower.lease.FencingToken;
import fleet.tower.lease.LeaseState;
import fleet.tower.lease.Owner;
import fleet.tower.lease.RequestId;
import fleet.tower.lock.AcquireOutcome;
import fleet.tower.lock.ForceReleaseOutcome;
import fleet.tower.lock.ReleaseOutcome;
import fleet.tower.lock.RenewOutcome;
import fleet.tower.lock.TestRequest;

@DisplayName("An unreadable lock file is never stolen, renewed, released or changed")
class BadLockFileTest extends LockFileTest {
  private static final RequestId OLD = new RequestId("req_old");
  private static final String GOOD = LockTexts.of("prod", "req_old", "2025-12-18T10:30:10Z");

  /** Creates something under the name of a lock. */
  interface Maker {
    void make(Path lock) throws IOException, InterruptedException;
  }

  private static Arguments file(String what, String content, String problem) {
    Maker maker = lock -> Files.writeString(lock, content);
    return Arguments.of(what, maker, problem);
  }

  private static Arguments changed(String what, String from, String to, String problem) {
    assertThat(GOOD).contains(from);
    return file(what, GOOD.replace(from, to), problem);
  }

  private static Arguments made(String what, Maker maker, String problem) {
    return Arguments.of(what, maker, problem);
  }

  static Stream<Arguments> contents() {
    return Stream.of(file("empty", "", "not a JSON object: empty"), file("blank", " \n", "not a JSON object: empty"),
        file("torn", GOOD.substring(0, 100), "not a JSON object: it ends in the middle (cut off at character 100)"),
        file("null", "null", "not a JSON object: not an object"),
        file("a list", "[" + GOOD + "]", "not a JSON object: not an object"),
        file("two objects", GOOD + GOOD, "not a JSON object: text after the end of the value (at character "
            + GOOD.length() + ")"),
        made("binary", lock -> Files.write(lock, new byte[]{0, 1, (byte) 0xff, (byte) 0xfe}),
            "not a JSON object: not valid UTF-8"),
        made("10 MB", lock -> Files.write(lock, new byte[10 << 20]), "10485760 bytes long; the limit is 65536"),
        changed("wrong lock_name", "\"prod\"", "\"dev\"", "lock_name does not match the file name"),
        changed("no actor", "\"actor\": \"claude-code\",", "", "actor is missing"),
        changed("pid in quotes", "12345", "\"12345\"", "pid is not an integer that fits"),
        changed("a version that is no string", "\"v1\"", "1", "lock_version is not a string"),
        changed("a duplicate key", "\"pid\"", "\"ttl_seconds\": 1,\n\"pid\"",
            "not a JSON object: duplicate key \"ttl_seconds\" (at character 323)"),
        changed("a local time", "\"2025-12-18T10:30:10Z\",\n  \"ttl", "\"2025-12-18 10:30:10\",\n  \"ttl",
            "last_heartbeat_at is not a time like 2025-12-18T10:30:10Z"),
        changed("metadata that is a list", "{}", "[]", "metadata is not an object"),
        changed("a token in quotes", "{}", "{\"fencing_token\": \"7\"}", "fencing_token is not an integer that fits"),
        changed("a negative token", "{}", "{\"fencing_token\": -7}", "fencing token -7 is negative"));
  }

  static Stream<Arguments> values() {
    return Stream.concat(
        Stream.of("900.5", "\"900\"", "100000000000000000000", "\"a[$(id)]\"", "null", "9e2").map(ttl -> changed("ttl "
            + ttl, ": 900", ": " + ttl, "ttl_seconds is not an integer that fits")),
        Stream.of(
            changed("ttl 0", ": 900", ": 0", "ttl 0 s is outside 1 to 9000000000 seconds"),
            changed("ttl -1", ": 900", ": -1", "ttl -1 s is outside 1 to 9000000000 seconds"),
            changed("a ttl beyond all calendars", ": 900", ": 9000000001",
                "ttl 9000000001 s is outside 1 to 9000000000 seconds"),
            changed("a path as request id", "req_old", "../x", "request id '../x'" + ID_RULE),
            changed("a newline in the request id", "req_old", "a\\nb", "request id 'a\\u000ab'" + ID_RULE),
            changed("a request id of 10 kB", "req_old", "x".repeat(10240), "request id '" + "x".repeat(40) + "…'"
                + ID_RULE)));
  }

  private static final String ID_RULE = " is not 1 to 255 characters without / and control characters";

  static Stream<Arguments> kinds() {
    return Stream.of(
        made("a symbolic link to a good one", lock -> Files.createSymbolicLink(lock, Files.writeString(
            lock.resolveSibling("elsewhere"), GOOD)), "a symbolic link, not a regular file"),
        made("a dangling link", lock -> Files.createSymbolicLink(lock, Path.of("nowhere")),
            "a symbolic link, not a regular file"),
        made("a pipe", lock -> assertThat(new ProcessBuilder("mkfifo", lock.toString()).start().waitFor()).isZero(),
            "a pipe or device, not a regular file"),
        made("an empty directory", Files::createDirectory, "a directory, not a regular file"),
        made("somebody else's", lock -> Files.setAttribute(Files.writeString(lock, GOOD), "unix:uid", 4242),
            "owned by user 4242, not by the owner of the directory"),
        made("a hard link to the lock of another name", lock -> Files.createLink(lock, lock.resolveSibling(
            "other.lock")), "lock_name does not match the file name"));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource({"contents", "values", "kinds"})
  @DisplayName("LK-19 LK-B7 TF-B4 TF-12.2 TF-12.3 TF-A10 TF-A16 corrupt for every operation, untouched, and "
      + "removable by force-release")
  void isLeftAlone(String what, Maker maker, String problem) throws IOException, InterruptedException {
    maker.make(files.lock("prod"));
    List<String> before = files.everything();
    files.time().advance(Duration.ofDays(30));
    Decision.Refusal refusal = new Decision.Corrupt(problem);

    assertThat(files.store().view(PROD).leaseState()).isEqualTo(new LeaseState.Corrupt(problem));
    assertThat(files.store().list()).extracting(it -> it.name() + " " + it.state()).containsExactly("other stale",
        "prod corrupt");
    assertThat(files.store().acquire(TestRequest.by("req_1", "prod").request()))
        .isEqualTo(new AcquireOutcome.Refused(refusal));
    assertThat(files.store().acquire(TestRequest.by("req_old", "prod").withForce().request()))
        .isEqualTo(new AcquireOutcome.Refused(refusal));
    assertThat(files.store().renew(PROD, Owner.ofAnyActor(OLD), FencingToken.NONE))
        .isEqualTo(new RenewOutcome.Refused(refusal));
    assertThat(files.store().release(PROD, Owner.ofAnyActor(OLD), FencingToken.NONE))
        .isEqualTo(new ReleaseOutcome.Refused(refusal));
    assertThat(files.everything()).as(what).isEqualTo(before);

    assertThat(files.store().forceRelease(PROD)).isInstanceOfSatisfying(ForceReleaseOutcome.Removed.class,
        removed -> assertThat(removed.previous().lease()).isNull());
    assertThat(files.granted(TestRequest.by("req_2", "prod")).requestId()).isEqualTo(new RequestId("req_2"));
  }

  @Test
  @DisplayName("LK-18 LK-B14 T20 TF-A11 a newer version is detected before its fields, which may have any type, "
      + "and never stolen")
  void leavesANewerVersionAlone() {
    files.put("prod", "{\"lock_version\":\"v2\",\"lock_name\":[\"prod\"],\"request_id\":7,\"ttl_seconds\":\"PT1S\"}");
    List<String> before = files.everything();
    Decision.Refusal refusal = new Decision.Unsupported("v2");

    assertThat(files.store().view(PROD).leaseState()).isEqualTo(new LeaseState.Unsupported("v2"));
    assertThat(files.store().acquire(TestRequest.by("req_1", "prod").withForce().request()))
        .isEqualTo(new AcquireOutcome.Refused(refusal));
    assertThat(files.store().renew(PROD, Owner.ofAnyActor(OLD), FencingToken.NONE))
        .isEqualTo(new RenewOutcome.Refused(refusal));
    assertThat(files.store().release(PROD, Owner.ofAnyActor(OLD), FencingToken.NONE))
        .isEqualTo(new ReleaseOutcome.Refused(refusal));
    assertThat(files.everything()).isEqualTo(before);
    assertThat(files.store().forceRelease(PROD)).isInstanceOf(ForceReleaseOutcome.Removed.class);
  }

  @Test
  @DisplayName("TF-8.3 Decision 3 a non-empty directory cannot be force-released, and the error says why")
  void keepsAFullDirectory() throws IOException {
    Files.createDirectories(files.lock("prod").resolve("inside"));

    assertThat(files.store().forceRelease(PROD))
        .isEqualTo(new ForceReleaseOutcome.Failed(files.time().now(), "ENOTEMPTY: directory not empty"));
    assertThat(files.lock("prod").resolve("inside")).isDirectory();
  }

  @Test
  @DisplayName("TF-A13 a heartbeat in 2099 is active and reported as clock skew while its file is not older "
      + "than the ttl")
  void reportsAHeartbeatOf2099() {
    files.put("prod", GOOD.replace("\"last_heartbeat_at\": \"2025", "\"last_heartbeat_at\": \"2099"));

    assertThat(files.store().view(PROD).leaseState()).isInstanceOfSatisfying(LeaseState.Held.class, held -> {
      assertThat(held.isStale()).isFalse();
      assertThat(held.age().isSkewed()).isTrue();
    });
    assertThat(files.store().acquire(TestRequest.by("req_1", "prod").withForce().request()))
        .isInstanceOfSatisfying(AcquireOutcome.Refused.class,
            refused -> assertThat(refused.refusal()).isInstanceOf(Decision.Blocked.class));
  }

  @Test
  @DisplayName("TF-A13 a heartbeat in 2099 does not block forever: the file's modification time decides, to the second")
  void fallsBackToTheTimeOfTheFile() throws IOException {
    files.put("prod", GOOD.replace("\"last_heartbeat_at\": \"2025", "\"last_heartbeat_at\": \"2099"));
    Instant written = files.time().now();
    Files.setLastModifiedTime(files.lock("prod"), FileTime.from(written));
    files.time().advance(Duration.ofMinutes(15));
    assertThat(files.store().view(PROD).state()).isEqualTo(LeaseState.State.ACTIVE);
    assertThat(files.store().acquire(TestRequest.by("req_1", "prod").withForce().request()))
        .isInstanceOfSatisfying(AcquireOutcome.Refused.class,
            refused -> assertThat(refused.refusal()).isInstanceOf(Decision.Blocked.class));

    files.time().advance(Duration.ofSeconds(2));

    assertThat(files.store().view(PROD).leaseState()).isInstanceOfSatisfying(LeaseState.Held.class, held -> {
      assertThat(held.isStale()).isTrue();
      assertThat(held.age().seconds()).isBetween(901L, 902L);
    });
    assertThat(files.store().acquire(TestRequest.by("req_1", "prod").request()))
        .isInstanceOfSatisfying(AcquireOutcome.Refused.class,
            refused -> assertThat(refused.refusal()).isInstanceOf(Decision.Stale.class));
    assertThat(files.store().acquire(TestRequest.by("req_1", "prod").withForce().request()))
        .isInstanceOf(AcquireOutcome.Granted.class);
  }

  @Test
  @DisplayName("Decision 7 a foreign file with the greatest possible token does not break the counter of its name")
  void survivesAHugeToken() {
    for (String token : List.of("9223372036854775807", "1000000000000000000", "999999999999999999")) {
      files.put("prod", GOOD.replace("{}", "{\"fencing_token\": " + token + "}"));
      files.time().advance(Duration.ofDays(1));

      assertThat(files.store().acquire(TestRequest.by("req_1", "prod").withForce().request()))
          .isInstanceOfSatisfying(AcquireOutcome.Refused.class,
              refused -> assertThat(refused.refusal()).isInstanceOf(Decision.Corrupt.class));
      assertThat(files.store().forceRelease(PROD)).isInstanceOf(ForceReleaseOutcome.Removed.class);
      assertThat(files.granted(TestRequest.by("req_2", "prod")).metadata()).matches("\\{\"fencing_token\":\\d}");
      assertThat(files.store().forceRelease(PROD)).isInstanceOf(ForceReleaseOutcome.Removed.class);
    }
  }
}
