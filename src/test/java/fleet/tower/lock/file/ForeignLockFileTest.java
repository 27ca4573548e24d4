package fleet.tower.lock.file;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.time.Instant;
import java.util.stream.Stream;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import fleet.tower.audit.AuditEvent;
import fleet.tower.lease.Decision;
import fleet.tower.lease.FencingToken;
import fleet.tower.lease.Lease;
import fleet.tower.lease.LeaseState;
import fleet.tower.lock.AcquireOutcome;
import fleet.tower.lock.RenewOutcome;
import fleet.tower.lock.TestRequest;

@DisplayName("A lock file that is valid by the specification is honoured, even if it differs from the Tower's own")
class ForeignLockFileTest extends LockFileTest {
  private static final String OURS = LockTexts.of("prod", "req_old", "2025-12-18T10:30:10Z");

  private static Arguments changed(String what, String from, String to) {
    assertThat(OURS).contains(from);
    return Arguments.of(what, OURS.replace(from, to));
  }

  static Stream<Arguments> files() {
    return Stream.of(changed("a ttl of ten days", ": 900", ": 864000"),
        changed("a ttl of a hundred years", ": 900", ": 3155760000"),
        changed("no actor", "\"claude-code\"", "\"\""), changed("no intent", "\"deploy-app\"", "\"\""),
        changed("no version of the intent", "\"1.2.0\"", "\"\""), changed("no host", "\"tower-01\"", "\"\""),
        changed("a long host", "tower-01", "h".repeat(2000)), changed("metadata null", "{}", "null"),
        changed("a blank in the request id", "req_old", "req abc"),
        changed("a request id in another script", "req_old", "anfrage \u00e4#1"),
        changed("times of another zone", "10:30:10Z", "12:30:10+02:00"),
        changed("times of a zone behind, with a fraction", "10:30:10Z", "05:00:10.25-05:30"));
  }

  private Lease seen() {
    assertThat(files.store().view(PROD).leaseState()).isInstanceOf(LeaseState.Held.class);
    return ((LeaseState.Held) files.store().view(PROD).leaseState()).lease();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("files")
  @DisplayName("TF-A14 it is active for the holder's ttl and not stolen, renewed in place, stale afterwards, "
      + "and then stolen by force")
  void isALock(String what, String content) {
    files.put("prod", content);
    Lease lease = seen();

    assertThat(lease.lastHeartbeatAt()).isBetween(Instant.parse("2025-12-18T10:30:10Z"),
        Instant.parse("2025-12-18T10:30:11Z"));
    assertThat(files.store().acquire(TestRequest.by("req_1", "prod").withForce().request()))
        .isInstanceOfSatisfying(AcquireOutcome.Refused.class,
            refused -> assertThat(refused.refusal()).isInstanceOf(Decision.Blocked.class));
    assertThat(files.text("prod")).isEqualTo(content);

    files.time().advance(Duration.ofSeconds(100));
    String heartbeat = content.replaceAll("(?s).*\"last_heartbeat_at\": (\"[^\"]*\").*", "$1");
    assertThat(files.store().renew(PROD, lease.owner(), FencingToken.NONE))
        .isInstanceOf(RenewOutcome.Renewed.class);
    assertThat(files.text("prod")).isEqualTo(content.replace("\"last_heartbeat_at\": " + heartbeat,
        "\"last_heartbeat_at\": \"2025-12-18T10:31:50Z\""));

    Lease renewed = seen();
    files.time().advance(renewed.ttl().duration().plusSeconds(1));
    assertThat(files.store().view(PROD).state()).isEqualTo(LeaseState.State.STALE);
    assertThat(files.locks().acquire(TestRequest.by("req_new", "prod").withForce().request()))
        .isInstanceOfSatisfying(AcquireOutcome.Granted.class, granted -> assertThat(granted.previous()).isNotNull());
    assertThat(files.audit().events()).filteredOn(AuditEvent.LockStolen.class::isInstance).singleElement()
        .isInstanceOfSatisfying(AuditEvent.LockStolen.class,
            stolen -> assertThat(stolen.previous()).isEqualTo(renewed));
    assertThat(seen().requestId().value()).isEqualTo("req_new");
  }

  @Test
  @DisplayName("The token of a lock that is kept is counted, so that it is not issued again when another program "
      + "removes the lock")
  void countsTheTokenOfAKeptLock() throws IOException {
    files.put("prod", OURS.replace("{}", "{\"fencing_token\": 41}"));
    assertThat(files.store().acquire(TestRequest.by("req_old", "prod").request()))
        .isInstanceOf(AcquireOutcome.Kept.class);
    Files.delete(files.lock("prod"));
    assertThat(files.granted(TestRequest.by("req_new", "prod")).token()).isEqualTo(new FencingToken(42));
  }
}
