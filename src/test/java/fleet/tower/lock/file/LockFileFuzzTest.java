package fleet.tower.lock.file;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Random;
import java.util.random.RandomGenerator;
import java.util.regex.Pattern;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.harness.Extent;
import fleet.tower.lease.Lease;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.LeaseState;
import fleet.tower.lease.RequestId;
import fleet.tower.lock.AcquireOutcome;
import fleet.tower.lock.ForceReleaseOutcome;
import fleet.tower.lock.TestRequest;
import fleet.tower.platform.InvalidValue;
import fleet.tower.platform.time.BootStamp;

@DisplayName("Every file and every name has a defined outcome")
class LockFileFuzzTest {
  private static final long SEED = Long.getLong("fuzz.seed", 20251218);
  private static final int PARSER_CASES = Extent.of(40_000, 200_000, 5_000_000);
  private static final int STORE_CASES = 2_000;
  private static final LeaseName PROD = new LeaseName("prod");
  private static final byte[] GOOD = LockTexts.of("prod", "req_old", "2025-12-18T10:30:10Z")
      .replace("{}", "{\"fencing_token\": 3, \"deep\": [1, {\"a\": \"\u00e9\"}]}").getBytes(StandardCharsets.UTF_8);

  @TempDir(factory = InMemoryDirectory.class)
  private Path temp = Path.of("not-yet");

  @Test
  @DisplayName("TF-12.2 TF-12.3 TF-B4 200,000 damaged lock files: either a lease that reads back, or the reason "
      + "why not")
  void parsesAnything() {
    int leases = 0;
    for (int i = 0; i < PARSER_CASES; i++) {
      byte[] content = Damage.to(GOOD, new Random(SEED + i));
      try {
        leases += parses(content) ? 1 : 0;
      } catch (RuntimeException | StackOverflowError | AssertionError e) {
        throw new AssertionError("seed " + (SEED + i) + ": " + new String(content, StandardCharsets.UTF_8), e);
      }
    }
    assertThat(leases).isBetween(PARSER_CASES / 50, PARSER_CASES * 9 / 10);
  }

  private static boolean parses(byte[] content) {
    try {
      LockRecord record = LockRecord.parse(PROD, content);
      Lease lease = record.lease();
      Lease renewed = lease.renewedAt(lease.lastHeartbeatAt().truncatedTo(ChronoUnit.DAYS));
      LockRecord beaten = LockRecord.parse(PROD, record.withHeartbeat(renewed.lastHeartbeatAt()));
      assertThat(beaten.lease()).isEqualTo(renewed);
      assertThat(lease.token().hasNext()).isTrue();
      assertThat(lease.expiresAt()).isAfter(lease.lastHeartbeatAt());
      return true;
    } catch (LockRecord.NotALease e) {
      assertThat(e.state()).isInstanceOfAny(LeaseState.Corrupt.class, LeaseState.Unsupported.class);
      return false;
    }
  }

  @Test
  @DisplayName("TF-B4 TF-7.2 thousands of damaged files through the store: an unreadable lock is never stolen")
  void storesAnything() {
    try (FileFixture files = new FileFixture(temp.resolve("locks"))) {
      int stolen = 0;
      for (int i = 0; i < STORE_CASES; i++) {
        byte[] content = Damage.to(GOOD, new Random(SEED + i));
        files.put("prod", content);
        try {
          stolen += isStolen(files, content) ? 1 : 0;
        } catch (RuntimeException | AssertionError e) {
          throw new AssertionError("seed " + (SEED + i) + ": " + new String(content, StandardCharsets.UTF_8), e);
        }
      }
      assertThat(stolen).isGreaterThan(STORE_CASES / 50);
    }
  }

  private static boolean isStolen(FileFixture files, byte[] content) {
    files.time().advance(Duration.ofDays(8));
    LeaseState before = files.store().view(PROD).leaseState();
    AcquireOutcome outcome = files.store().acquire(TestRequest.by("req_thief", "prod").withForce().request());
    boolean stale = before instanceof LeaseState.Held held && held.isStale();
    if (stale) {
      assertThat(outcome).isInstanceOf(AcquireOutcome.Granted.class);
    } else {
      assertThat(outcome).isInstanceOf(AcquireOutcome.Refused.class);
      assertThat(files.bytes("prod")).isEqualTo(content);
    }
    assertThat(files.store().forceRelease(PROD)).isInstanceOf(ForceReleaseOutcome.Removed.class);
    return stale;
  }

  @Test
  @DisplayName("TF-1.1 damaged evidence of the boot clock is neither evidence nor an error")
  void readsAnyEvidence() {
    try (FileFixture files = new FileFixture(temp.resolve("locks"))) {
      Lease lease = files.granted(TestRequest.by("req_old", "prod"));
      byte[] good = FileFixture.read(files.directory().resolve(".prod.beat"));
      BootStamp now = new BootStamp("boot-1", Long.MAX_VALUE);
      assertThat(BeatFile.millisSinceHeartbeat(good, lease, now)).isPresent();
      for (int i = 0; i < 20_000; i++) {
        byte[] content = Damage.to(good, new Random(SEED + i));
        try {
          assertThat(BeatFile.millisSinceHeartbeat(content, lease, now)).isNotNull();
          assertThat(BeatFile.record(lease, lease, now).of(content).position()).isIn(0, BeatFile.LINE_BYTES);
        } catch (RuntimeException e) {
          throw new AssertionError("seed " + (SEED + i) + ": " + new String(content, StandardCharsets.UTF_8), e);
        }
      }
    }
  }

  @Test
  @DisplayName("TF-2.2 TF-2.4 TF-2.7 TF-A16 thousands of names and request ids agree with the regular expression")
  void namesAnything() {
    Pattern name = Pattern.compile("[a-z0-9](?:[a-z0-9_-]{0,126}[a-z0-9])?");
    int valid = 0;
    for (int i = 0; i < 100_000; i++) {
      String text = text(new Random(SEED + i));
      boolean expected = name.matcher(text).matches();
      valid += expected ? 1 : 0;
      assertThat(LeaseName.isValid(text)).as("seed %d: %s", SEED + i, text).isEqualTo(expected);
      try {
        assertThat(new LeaseName(text).value()).isEqualTo(text);
        assertThat(FileNames.nameOfLock(FileNames.lock(new LeaseName(text)))).hasValue(new LeaseName(text));
        assertThat(FileNames.slot(new LeaseName(text))).isNotNegative();
      } catch (InvalidValue e) {
        assertThat(expected).as("seed %d: %s", SEED + i, text).isFalse();
        assertThat(e.problem()).doesNotContain("\n").hasSizeLessThan(400);
      }
      assertThat(RequestId.isValid(text)).isEqualTo(Pattern.matches("[A-Za-z0-9][A-Za-z0-9._:-]{0,127}", text));
    }
    assertThat(valid).isGreaterThan(1000);
  }

  private static String text(RandomGenerator random) {
    String alphabet = random.nextInt(3) == 0 ? "ab7-_A./\n\u0000\u00e9\uff50\u2028\ud83d $" : "abcz079-_";
    int length = random.nextInt(8) == 0 ? 120 + random.nextInt(15) : random.nextInt(12);
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < length; i++) {
      text.append(alphabet.charAt(random.nextInt(alphabet.length())));
    }
    return text.toString();
  }
}
