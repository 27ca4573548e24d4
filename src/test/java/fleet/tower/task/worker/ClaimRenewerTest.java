package fleet.tower.task.worker;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import fleet.tower.lease.RequestId;
import fleet.tower.lease.Ttl;
import fleet.tower.lease.keepalive.LeaseRenewers;
import fleet.tower.lease.keepalive.ProgressSignal;
import fleet.tower.platform.time.ManualTime;
import fleet.tower.platform.time.SystemTime;
import fleet.tower.task.Agent;
import fleet.tower.task.TaskCommand;
import fleet.tower.task.TaskId;
import fleet.tower.task.worker.Claims.Answer;

@DisplayName("The renewal of a claim")
class ClaimRenewerTest {
  private static final Agent ANN = new Agent("ann");
  private final ManualTime time = new ManualTime();
  private final List<String> told = Collections.synchronizedList(new ArrayList<>());
  private final List<TaskCommand.Heartbeat> beats = new ArrayList<>();
  private Answer answer = Answer.DONE;
  private boolean isBroken;
  private Runnable onHeartbeat = () -> {};
  private int calls;

  private final Claims claims = new Claims() {
    @Override
    public Offer claim(TaskCommand.Call call, TaskCommand.Claim command) {
      throw new IllegalStateException("no claim is asked for");
    }

    @Override
    public Answer perform(TaskCommand.Call call, TaskCommand.ByHolder command) {
      if (isBroken) {
        throw new IllegalStateException("the disk is full");
      }
      if (command instanceof TaskCommand.Heartbeat beat) {
        beats.add(beat);
        onHeartbeat.run();
      }
      return answer;
    }

    @Override
    public boolean isPassing(RuntimeException thrown) {
      return false;
    }
  };

  private ClaimRenewer renewer() {
    return renewer(time.nanos());
  }

  private ClaimRenewer renewer(long asked) {
    return new ClaimRenewer(claims, claimed(), new Ttl(60), asked, this::call, time,
        new LeaseRenewers(time, time, Duration.ofSeconds(30)), new Listener(),
        () -> told.add("stop"));
  }

  private Claims.Claimed claimed() {
    return new Claims.Claimed(new TaskId("t1"), "it", null, 3);
  }

  private TaskCommand.Call call() {
    return new TaskCommand.Call(ANN, new RequestId("r" + ++calls), null);
  }

  private final class Listener implements Worker.Listener {
    @Override
    public void claimed(Claims.Claimed claimed) {
      told.add("claimed");
    }

    @Override
    public void closed(Claims.Claimed claimed, TaskCommand.Ending ending, @Nullable String reason) {
      told.add("closed");
    }

    @Override
    public void settled(Claims.Claimed claimed) {
      told.add("settled");
    }

    @Override
    public void released(Claims.Claimed claimed, String why) {
      told.add("released");
    }

    @Override
    public void lost(Claims.Claimed claimed) {
      told.add("lost");
    }

    @Override
    public void heartbeatFailed(Claims.Claimed claimed, int consecutiveFailures, String error) {
      told.add(consecutiveFailures + " " + error);
    }
  }

  @Test
  @DisplayName("VB-6 it sends three heartbeats per ttl with the attempt, each a separate request, as long as the "
      + "claim is held")
  void beats() {
    ClaimRenewer renewer = renewer();
    time.advance(Duration.ofSeconds(19));
    assertThat(beats).isEmpty();
    time.advance(Duration.ofSeconds(1));
    assertThat(beats).hasSize(1).allMatch(one -> one.attempt().orElse(0) == 3 && one.ttl().seconds() == 60);
    time.advance(Duration.ofMinutes(10));
    assertThat(beats).hasSize(31);
    assertThat(calls).isEqualTo(31);
    renewer.stop();
    time.advance(Duration.ofMinutes(10));
    assertThat(beats).hasSize(31);
    assertThat(time.pendingDelays()).isEmpty();
    assertThat(told).isEmpty();
  }

  @Test
  @DisplayName("VB-B3 a rejected heartbeat is a loss: it is reported once, the work is ended, and no heartbeat follows")
  void lost() {
    ClaimRenewer renewer = renewer();
    answer = Answer.LOST;
    time.advance(Duration.ofMinutes(5));
    assertThat(told).containsExactly("lost", "stop");
    assertThat(renewer.isLost()).isTrue();
    assertThat(beats).hasSize(1);
    assertThat(time.pendingDelays()).isEmpty();
  }

  @Test
  @DisplayName("A failure is not a loss before the ttl ends; then it is, whether or not the store answers")
  void unreachable() {
    ClaimRenewer renewer = renewer();
    time.advance(Duration.ofSeconds(20));
    isBroken = true;
    time.advance(Duration.ofSeconds(59));
    assertThat(renewer.isLost()).isFalse();
    assertThat(told).containsExactly("1 the disk is full", "3 the disk is full");
    time.advance(Duration.ofSeconds(2));
    assertThat(renewer.isLost()).isTrue();
    assertThat(told).containsExactly("1 the disk is full", "3 the disk is full", "lost", "stop");
  }

  @Test
  @DisplayName("VB-6 a failed heartbeat is retried after a twentieth of the ttl, and once more just before the "
      + "deadline")
  void retries() {
    ClaimRenewer renewer = renewer();
    isBroken = true;
    time.advance(Duration.ofSeconds(20));
    assertThat(time.pendingDelays()).containsExactly(Duration.ofSeconds(3));
    time.advance(Duration.ofSeconds(36));
    isBroken = false;
    answer = Answer.LOST;
    // The last regular retry was at 56 s, the next would be at 59 s: the last one before the deadline comes at 57 s.
    time.advance(Duration.ofMillis(1_100));
    assertThat(beats).hasSize(1);
    assertThat(told).containsExactly("1 the disk is full", "3 the disk is full", "lost", "stop");
    assertThat(renewer.isLost()).isTrue();
  }

  @Test
  @DisplayName("VB-B3 a store that never answers does not delay the loss")
  void hangs() {
    CountDownLatch answered = new CountDownLatch(1);
    CountDownLatch lost = new CountDownLatch(1);
    LeaseRenewers renewers = new LeaseRenewers(SystemTime.source(), SystemTime.scheduler(), Duration.ofSeconds(30));
    onHeartbeat = () -> awaitUninterrupted(answered);
    ClaimRenewer renewer = new ClaimRenewer(claims, claimed(), new Ttl(1), SystemTime.source().nanos(), this::call,
        SystemTime.source(), renewers, new Listener(), lost::countDown);
    awaitUninterrupted(lost);
    assertThat(renewer.isLost()).isTrue();
    answered.countDown();
    renewer.stop();
    assertThat(told).containsExactly("lost");
  }

  private static void awaitUninterrupted(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  @DisplayName("WI-9 a claim kept alive by progress is renewed on progress only, and lost without it for a ttl")
  void livesByProgress() {
    ClaimRenewer renewer = renewer();
    ProgressSignal work = new ProgressSignal(time);
    work.beat();
    renewer.liveBy(work);
    time.advance(Duration.ofSeconds(20));
    assertThat(beats).hasSize(1);
    time.advance(Duration.ofSeconds(20));
    assertThat(beats).hasSize(1);
    work.beat();
    time.advance(Duration.ofSeconds(20));
    assertThat(beats).hasSize(2);
    assertThat(told).containsExactly("1 no progress since 2026-01-01T00:00:00Z");
    time.advance(Duration.ofSeconds(61));
    assertThat(beats).hasSize(2);
    assertThat(told).contains("2 no progress since 2026-01-01T00:00:40Z").endsWith("lost", "stop");
    assertThat(renewer.isLost()).isTrue();
  }

  @Test
  @DisplayName("The ttl counts from the request of the claim, so that this worker gives up before another can begin")
  void countsFromTheRequest() {
    long asked = time.nanos();
    time.advance(Duration.ofSeconds(50));
    isBroken = true;
    ClaimRenewer renewer = renewer(asked);
    time.advance(Duration.ofSeconds(11));
    assertThat(renewer.isLost()).isTrue();
  }

  @Test
  @DisplayName("A temporary failure is forgotten, and a task closed by its own work is not lost")
  void recovers() {
    ClaimRenewer renewer = renewer();
    isBroken = true;
    time.advance(Duration.ofSeconds(45));
    isBroken = false;
    time.advance(Duration.ofSeconds(60));
    isBroken = true;
    renewer.renew();
    assertThat(told).containsExactly("1 the disk is full", "3 the disk is full", "1 the disk is full");
    isBroken = false;
    answer = Answer.SETTLED;
    time.advance(Duration.ofMinutes(5));
    assertThat(renewer.isLost()).isFalse();
    assertThat(time.pendingDelays()).isEmpty();
  }
}
