package fleet.tower.lock.file;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.lease.FencingToken;
import fleet.tower.lease.Lease;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.LeaseState;
import fleet.tower.lease.RequestId;
import fleet.tower.lock.AcquireOutcome;
import fleet.tower.lock.RenewOutcome;
import fleet.tower.lock.TestRequest;

@DisplayName("A step of the wall clock makes no live lock available")
class ClockStepTest {
  private static final LeaseName PROD = new LeaseName("prod");
  private static final RequestId ANNA = new RequestId("req_anna");

  @AutoClose
  private final FileFixture files;

  ClockStepTest(@TempDir Path temp) {
    files = new FileFixture(temp.resolve("locks"));
  }

  private LeaseState.State state() {
    return files.store().view(PROD).state();
  }

  @Test
  @DisplayName("TF-1.1 TF-7.2 hours forward: still active, even after a heartbeat; stale when it really is")
  void stepsForward() {
    files.granted(TestRequest.by("req_anna", "prod"));
    files.time().stepWallClock(Duration.ofHours(5));

    assertThat(state()).isEqualTo(LeaseState.State.ACTIVE);
    assertThat(files.store().acquire(TestRequest.by("req_bert", "prod").withForce().request()))
        .isInstanceOf(AcquireOutcome.Refused.class);
    assertThat(files.store().renew(PROD, TestRequest.owner(ANNA), FencingToken.NONE))
        .isInstanceOf(RenewOutcome.Renewed.class);
    files.time().advance(Duration.ofSeconds(890));
    files.time().stepWallClock(Duration.ofHours(5));
    assertThat(state()).isEqualTo(LeaseState.State.ACTIVE);
    files.time().advance(Duration.ofSeconds(11));
    assertThat(state()).isEqualTo(LeaseState.State.STALE);
    assertThat(files.granted(TestRequest.by("req_bert", "prod").withForce()).token()).isEqualTo(new FencingToken(2));
  }

  @Test
  @DisplayName("Decision 12 backward: a heartbeat does not shorten the lease, and the holder keeps it")
  void stepsBackward() {
    Lease held = files.granted(TestRequest.by("req_anna", "prod"));
    files.time().stepWallClock(Duration.ofSeconds(-40));

    RenewOutcome outcome = files.store().renew(PROD, TestRequest.owner(ANNA), held.token());

    assertThat(outcome).isInstanceOfSatisfying(RenewOutcome.Renewed.class,
        renewed -> assertThat(renewed.lease().lease()).isEqualTo(held));
    files.time().stepWallClock(Duration.ofSeconds(40));
    files.time().advance(Duration.ofMinutes(15));
    assertThat(state()).isEqualTo(LeaseState.State.ACTIVE);
    files.time().advance(Duration.ofSeconds(1));
    assertThat(state()).isEqualTo(LeaseState.State.STALE);
  }

  @Test
  @DisplayName("TF-A13 far backward: the heartbeat is corrected; otherwise a dead holder's lock would live as "
      + "long as the step")
  void stepsFarBackward() {
    Lease held = files.granted(TestRequest.by("req_anna", "prod"));
    files.time().stepWallClock(Duration.ofDays(-300));

    files.store().renew(PROD, TestRequest.owner(ANNA), held.token());

    assertThat(files.text("prod")).contains("\"last_heartbeat_at\": \"2025-02-21T10:30:10Z\"");
  }

  @Test
  @DisplayName("TF-6.1 another boot: the wall clock alone decides")
  void anotherBoot() {
    files.granted(TestRequest.by("req_anna", "prod"));
    files.time().reboot("boot-2");
    files.time().stepWallClock(Duration.ofMinutes(15));
    assertThat(state()).isEqualTo(LeaseState.State.ACTIVE);
    files.time().stepWallClock(Duration.ofSeconds(1));
    assertThat(state()).isEqualTo(LeaseState.State.STALE);
  }

  @Test
  @DisplayName("TF-6.1 without a boot clock the wall clock alone decides, and no file is left next to the lock")
  void noBootClock() {
    files.time().hideBootClock();
    files.granted(TestRequest.by("req_anna", "prod"));
    files.time().stepWallClock(Duration.ofSeconds(901));

    assertThat(state()).isEqualTo(LeaseState.State.STALE);
    assertThat(files.names()).containsExactly(".guard", ".journal", ".prod.1.granted", ".prod.fence", "prod.lock");
  }

  @Test
  @DisplayName("TF-6.1 an edited file, or one of another writer: the wall clock alone decides")
  void anotherWriter() {
    files.granted(TestRequest.by("req_anna", "prod"));
    files.put("prod", files.text("prod").replace("\"last_heartbeat_at\": \"2025-12-18T10:30:10Z\"",
        "\"last_heartbeat_at\": \"2025-12-18T10:30:09Z\""));
    files.time().stepWallClock(Duration.ofMinutes(15));

    assertThat(state()).isEqualTo(LeaseState.State.STALE);
    files.put("prod", LockTexts.of("prod", "req_foreign", "2025-12-18T10:30:10Z"));
    assertThat(state()).isEqualTo(LeaseState.State.ACTIVE);
    files.time().stepWallClock(Duration.ofSeconds(1));
    assertThat(state()).isEqualTo(LeaseState.State.STALE);
  }

  @Test
  @DisplayName("TF-6.1 torn, absurd or non-file evidence is neither evidence nor an error")
  void badEvidence() throws IOException {
    files.granted(TestRequest.by("req_anna", "prod"));
    files.time().stepWallClock(Duration.ofSeconds(901));
    Path beat = files.directory().resolve(".prod.beat");
    String good = new String(FileFixture.read(beat), StandardCharsets.US_ASCII);
    assertThat(state()).isEqualTo(LeaseState.State.ACTIVE);

    for (String seconds : List.of("1e99999999999", "1e999999999", "1e-999999999", "0.0001", "\"7\"", "-", "null")) {
      String line = good.strip().replaceAll("\"boot_seconds\":[0-9.]+", "\"boot_seconds\":" + seconds);
      FileFixture.write(beat, (line + " ".repeat(BeatFile.LINE_BYTES - 1 - line.length()) + "\n")
          .getBytes(StandardCharsets.US_ASCII));
      assertThat(state()).as(seconds).isEqualTo(LeaseState.State.STALE);
    }
    FileFixture.write(beat, good.substring(0, 100).getBytes(StandardCharsets.US_ASCII));
    assertThat(state()).isEqualTo(LeaseState.State.STALE);
    Files.delete(beat);
    Files.createSymbolicLink(beat, Path.of("prod.lock"));
    assertThat(state()).isEqualTo(LeaseState.State.STALE);
  }
}
