package fleet.tower.run.submit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import fleet.tower.lease.RequestId;
import fleet.tower.platform.time.ManualTime;
import fleet.tower.platform.time.Notices;
import fleet.tower.run.RunChanges;

@DisplayName("The watchers of runs that other processes execute")
class DistantRunsTest {
  private static final RequestId R1 = new RequestId("r1");
  private static final RequestId R2 = new RequestId("r2");

  private final ManualTime time = new ManualTime();
  private final List<RunChanges.Topic> topics = new ArrayList<>();
  private final List<Notices.Listener> listeners = new ArrayList<>();
  private final DistantRuns announced = new DistantRuns(new RunChanges() {
    @Override
    public boolean areAnnounced() {
      return true;
    }

    @Override
    public Notices.Subscription listen(Topic topic, Notices.Listener listener) {
      topics.add(topic);
      listeners.add(listener);
      return () -> listeners.remove(listener);
    }
  }, time);

  @Test
  @DisplayName("An announcement wakes the watchers of its run only, also if it precedes their wait")
  void announcement() {
    long seen = announced.version(R1);
    long other = announced.version(R2);
    assertThat(topics).containsExactly(RunChanges.Topic.RUNS, RunChanges.Topic.OUTPUT);

    listeners.getLast().changed("r1");

    announced.awaitChange(R1, seen);
    assertThat(announced.version(R1)).isNotEqualTo(seen);
    assertThat(announced.version(R2)).isEqualTo(other);
    listeners.getFirst().changed("not a run");
    listeners.getFirst().missed();
    announced.awaitChange(R2, other);
  }

  @Test
  @DisplayName("Without an announcement the watchers poll once a second; where runs are never announced, five times")
  void net() {
    DistantRuns silent = new DistantRuns(RunChanges.NONE, time);
    long seen = announced.version(R1);
    long polled = silent.version(R1);

    time.advance(DistantRuns.BETWEEN_LOOKS);
    silent.awaitChange(R1, polled);
    assertThat(announced.version(R1)).isEqualTo(seen);
    time.advance(DistantRuns.BETWEEN_LOOKS_WHEN_ANNOUNCED);
    announced.awaitChange(R1, seen);
  }

  @Test
  @DisplayName("A run that is no longer watched is forgotten, and a watcher that returns to it reads its record at "
      + "once")
  void forgotten() {
    long seen = announced.version(R1);
    for (int i = 0; i < 10; i++) {
      time.advance(DistantRuns.BETWEEN_LOOKS_WHEN_ANNOUNCED);
    }

    assertThat(time.pendingDelays()).isEmpty();
    assertThat(listeners).isEmpty();
    announced.awaitChange(R1, seen);
    assertThat(announced.version(R1)).isNotEqualTo(seen);
    assertThat(listeners).hasSize(2);
  }
}
