package fleet.tower.cli.remote;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.answer.LockText;
import fleet.tower.harness.Await;
import fleet.tower.lease.Decision;
import fleet.tower.lease.Holder;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.RequestId;
import fleet.tower.lease.Ttl;
import fleet.tower.lock.AcquireOutcome;
import fleet.tower.lock.AcquireRequest;
import fleet.tower.lock.TestRequest;
import fleet.tower.lock.queue.Wait;
import fleet.tower.lock.queue.WaitOutcome;
import fleet.tower.platform.time.ManualTime;
import fleet.tower.platform.time.SystemTime;
import fleet.tower.remote.Server;
import fleet.tower.remote.Token;
import fleet.tower.service.config.TestService;

@DisplayName("Waiting for a lock of a service")
class RemoteWaitTest {

  @Test
  @DisplayName("The holder is reported at the beginning and every ten seconds, until the answer arrives")
  void tells(@TempDir Path home) {
    try (TestService service = new TestService(home)) {
      service.post("/locks/prod", "{\"request_id\":\"first\"}");
      ManualTime time = new ManualTime("2026-01-01T10:00:00Z");
      Queue<String> told = new ConcurrentLinkedQueue<>();
      RemoteLockClient client = new RemoteLockClient(
          new Server(URI.create(service.url()), Token.given(service.token()), "alice"),
          SystemTime.source());
      AcquireRequest request = TestRequest.of(new LeaseName("prod"), new RequestId("second"),
          new Holder("alice", "manual", "none", "tower-01", 1, false), new Ttl(60), false);
      Wait wait = new Wait(Duration.ofMinutes(1), time,
          (obstacle, waited, position) -> told
              .add(LockText.describe(obstacle).replaceAll(".*request (\\w+)\\)", "$1") + " " + waited.toSeconds()
                  + " s " + position));
      CompletableFuture<WaitOutcome<AcquireOutcome, Decision.Obstacle>> answer = CompletableFuture
          .supplyAsync(() -> client.acquire(request, wait));
      Await.until("it waits", () -> service.get("/locks/prod").body().contains("\"waiters\":1"));

      time.advance(Duration.ofSeconds(10));
      time.advance(Duration.ofSeconds(10));
      service.call("DELETE", "/locks/prod?request_id=first", "");

      assertThat(answer.join()).isInstanceOfSatisfying(WaitOutcome.Answered.class,
          it -> assertThat(it.answer()).isInstanceOf(AcquireOutcome.Granted.class));
      time.advance(Duration.ofMinutes(1));
      assertThat(told).containsExactlyElementsOf(List.of("first 0 s -1", "first 10 s -1", "first 20 s -1"));
      assertThat(time.pendingDelays()).isEmpty();
    }
  }
}
