package fleet.tower.service.call.overview;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.harness.Await;
import fleet.tower.harness.ProofsProfile;
import fleet.tower.lock.Locks;
import fleet.tower.platform.time.SystemTime;
import fleet.tower.platform.time.TimeSource;
import fleet.tower.service.config.TestService;

@DisplayName("The overview of a home with 10,000 locks")
@ProofsProfile
class OverviewSizeTest {
  private static final int LOCKS = 10_000;

  @Test
  @DisplayName("Reading takes at most a twentieth of the time; own changes arrive in between; the last client ends it")
  void many(@TempDir Path home) {
    TimeSource time = SystemTime.source();
    try (TestService service = new TestService(home)) {
      Instant now = time.now();
      for (int i = 0; i < LOCKS; i++) {
        service.foreignLock("lock-" + i, now, 3600);
      }
      Locks locks = service.parts(Locks.class).values().iterator().next();
      OverviewLook look = new OverviewLook(List.of(new LockSource(locks)), time);
      long begun = time.nanos();
      look.lookAtAll();
      long second = time.nanos();
      OverviewState state = look.lookAtAll();
      long ended = time.nanos();
      Duration cost = Duration.ofNanos(Math.min(second - begun, ended - second));
      assertThat(state.sections().get("locks")).hasSize(LOCKS);
      assertThat(look.untilDue()).as("until the next look, which takes %s", cost)
          .isGreaterThan(cost.multipliedBy(20).minusNanos(time.nanos() - second).minus(cost));

      try (OverviewFollower client = new OverviewFollower(service)) {
        assertThat(client.reducer().sections().get("locks")).hasSize(LOCKS);
        Await.until("the look is known to be expensive",
            () -> client.events().stream().filter(event -> event.startsWith("as_of ")).count() >= 2);
        List<Duration> arrivals = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
          service.post("/locks/own-" + i, "{\"request_id\":\"r1\",\"ttl_seconds\":60}");
          long posted = time.nanos();
          client.awaitRow("locks", "own-" + i, "r1");
          arrivals.add(Duration.ofNanos(time.nanos() - posted));
        }
        assertThat(arrivals.stream().sorted().toList().get(2)).as("the median of %s, without a look at all", arrivals)
            .isLessThan(cost.multipliedBy(5).plusSeconds(1));
      }
      OverviewFeed feed = service.parts(OverviewFeed.class).values().iterator().next();
      Await.until("the computation ends after its last client", () -> !feed.isRunning());
    }
  }
}
