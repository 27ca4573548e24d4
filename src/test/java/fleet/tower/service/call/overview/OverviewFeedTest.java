package fleet.tower.service.call.overview;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import fleet.tower.audit.AuditEvent;
import fleet.tower.audit.Origin;
import fleet.tower.harness.Await;
import fleet.tower.lease.Actor;
import fleet.tower.lease.Door;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.RequestId;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.platform.time.ManualTime;
import fleet.tower.platform.time.WakeUp;

/** Time stands still unless the feed pauses, so every look after the first has a signal as its cause. */
@DisplayName("The shared computation of the overview")
class OverviewFeedTest {
  private final ManualTime time = new ManualTime("2026-01-31T08:00:00Z");
  private final OverviewSignals signals = new OverviewSignals();
  private final AtomicInteger value = new AtomicInteger();
  private final AtomicInteger reads = new AtomicInteger();
  private final OverviewFeed feed = new OverviewFeed(() -> List.of(new Numbers()), signals, time, time);

  @AfterEach
  void close() {
    feed.close();
  }

  private final class Numbers implements OverviewSource {
    @Override
    public List<String> sections() {
      return List.of("numbers");
    }

    @Override
    public Rows read() {
      reads.incrementAndGet();
      if (value.get() < 0) {
        throw new IllegalStateException("a bug");
      }
      Builder rows = Rows.of(sections());
      rows.put("numbers", "n", JsonWriter.line().put("value", value.get()));
      return rows.build();
    }
  }

  private void signal() {
    signals.written(new AuditEvent.LockGuardReplaced(time.now(), "/locks"));
  }

  private void awaitValue(int expected) {
    Await.until("the value " + expected, () -> {
      OverviewState state = feed.state();
      return state != null && state.sections().toString().equals("{numbers={n={\"value\":" + expected + "}}}");
    });
  }

  @Test
  @DisplayName("A change that an event of this process reports is seen without waiting for the next poll")
  void signalled() {
    WakeUp alarm = new WakeUp();
    try (OverviewFeed.Place _ = feed.join(alarm)) {
      awaitValue(0);
      alarm.await();
      value.set(1);
      signal();
      awaitValue(1);
      alarm.await();
    }
  }

  @Test
  @DisplayName("Several followers share one computation; the last to leave ends it, and another begins with the next")
  void shared() {
    try (OverviewFeed.Place _ = feed.join(new WakeUp()); OverviewFeed.Place _ = feed.join(new WakeUp())) {
      awaitValue(0);
      assertThat(reads).hasValue(1);
      assertThat(feed.isRunning()).isTrue();
    }
    Await.until("it has ended", () -> !feed.isRunning());
    signal();
    assertThat(reads).hasValue(1);
    assertThat(feed.state()).isNull();

    try (OverviewFeed.Place _ = feed.join(new WakeUp())) {
      awaitValue(0);
      assertThat(reads).hasValue(2);
    }
  }

  @Test
  @DisplayName("A fresh state is read at once, and followers get it as well")
  void fresh() {
    assertThat(feed.fresh().sections().toString()).contains("\"value\":0");
    assertThat(feed.isRunning()).isFalse();
    try (OverviewFeed.Place _ = feed.join(new WakeUp())) {
      awaitValue(0);
      value.set(2);
      assertThat(feed.fresh().sections().toString()).contains("\"value\":2");
      awaitValue(2);
    }
  }

  @Test
  @DisplayName("A bug in a source ends the followers instead of leaving them with an old state")
  void bug() {
    WakeUp alarm = new WakeUp();
    try (OverviewFeed.Place _ = feed.join(alarm)) {
      awaitValue(0);
      value.set(-1);
      signal();
      Await.until("it has ended", () -> !feed.isRunning());
      assertThatThrownBy(feed::state).hasMessageContaining("a bug");
    }
  }

  @Test
  @DisplayName("A closed feed no longer reads anything")
  void closed() {
    try (OverviewFeed.Place _ = feed.join(new WakeUp())) {
      awaitValue(0);
      feed.close();
      assertThat(feed.isRunning()).isFalse();
      OverviewFeed.Place another = feed.join(new WakeUp());
      assertThat(feed.isRunning()).isFalse();
      another.close();
    }
  }

  @Test
  @DisplayName("Signals are collected while there is a listener; too many locks count as any")
  void collected() {
    signals.written(frozen("early"));
    signals.listen(() -> {});
    assertThat(signals.take()).isEqualTo(OverviewSignals.Changes.NONE);
    signals.written(frozen("a"));
    signals.lost(frozen("b"));
    assertThat(signals.take())
        .isEqualTo(new OverviewSignals.Changes(true, Set.of(new LeaseName("a"), new LeaseName("b"))));
    for (int i = 0; i < 51; i++) {
      signals.written(frozen("n" + i));
    }
    assertThat(signals.take()).isEqualTo(new OverviewSignals.Changes(true, Set.of()));
    assertThat(signals.take()).isEqualTo(OverviewSignals.Changes.NONE);
  }

  private AuditEvent frozen(String name) {
    return new AuditEvent.LockUnfrozen(new RequestId("r1"), time.now(), new LeaseName(name), null,
        Origin.of(new Actor("ann", Door.CLI)));
  }
}
