package fleet.tower.run.submit;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.audit.AuditEvent;
import fleet.tower.lease.RequestId;
import fleet.tower.platform.time.Timestamps;
import fleet.tower.run.ManualProcesses;
import fleet.tower.run.Run;
import fleet.tower.run.RunListener;
import fleet.tower.run.RunStatus;

@DisplayName("Schedules of intents with a desired state: looks without a lock, repairs under it, and pauses")
class DriftsTest {
  private static final Duration MINUTE = Duration.ofMinutes(1);

  private final TestExecutor works;
  private final Schedules schedules;
  private final Map<String, Boolean> drifted = new HashMap<>();
  private volatile boolean holds = true;
  private int repairs;

  DriftsTest(@TempDir Path directory) {
    works = new TestExecutor(directory.resolve("locks"));
    works.processes.world(() -> "{\"on\":" + holds + ",\"other\":1}");
    works.with(IntentBuilder.reconcile("keep").lock("prod").step("fix", "fix").desiring(Map.of("on", "true"))
        .schedule(new SchedulesTest.EveryMinute()));
    schedules = new Schedules(works.catalogue, works.runs, works.audit, works.time, works.time, works.log::add,
        new RunListener() {
          @Override
          public void scheduled(String intent, int times, @Nullable Boolean isDrifted) {
            drifted.put(intent, Boolean.TRUE.equals(isDrifted));
          }
        });
    schedules.start();
    works.time.advance(Duration.ofSeconds(1));
  }

  @AfterEach
  void close() {
    schedules.stop();
    works.close();
  }

  private List<Class<?>> events() {
    return works.audit.events().stream().<Class<?>>map(Object::getClass).toList();
  }

  private long count(Class<?> event) {
    return events().stream().filter(event::equals).count();
  }

  /** The run of the last due time. */
  private Run last() {
    schedules.awaitLooks();
    RequestId id = new RequestId("schedule:keep:" + Timestamps.format(works.time.now().minusSeconds(1)));
    return works.runs.find(id).orElseThrow().await();
  }

  /** The next due time, at which a repair begins; its step ends, and the desired state holds after it or not. */
  private void repair(boolean isGood) {
    works.time.advance(MINUTE);
    end(isGood);
  }

  private void end(boolean isGood) {
    repairs++;
    ManualProcesses.Hand step = works.processes.awaitStart(repairs);
    holds = isGood;
    step.exit(0);
    assertThat(last().status()).isEqualTo(isGood ? RunStatus.SUCCEEDED : RunStatus.FAILED);
  }

  @Test
  @DisplayName("A day without drift: no step, no event, no lock, and each run is succeeded and unchanged")
  void quiet() {
    for (int minute = 0; minute < 24 * 60; minute++) {
      works.time.advance(MINUTE);
      assertThat(last().probed().unchanged()).isTrue();
    }

    assertThat(events()).isEmpty();
    assertThat(works.processes.events()).isEmpty();
    assertThat(last()).satisfies(run -> assertThat(run.probed().unchanged()).isTrue(),
        run -> assertThat(run.status()).isEqualTo(RunStatus.SUCCEEDED), run -> assertThat(run.lock()).isNull());
    assertThat(drifted).containsExactly(Map.entry("keep", false));
  }

  @Test
  @DisplayName("A hundred drifts, each found and repaired once, by the next look")
  void repaired() {
    for (int i = 1; i <= 100; i++) {
      holds = false;
      repair(true);
      works.time.advance(MINUTE);
      assertThat(last().probed().unchanged()).isTrue();
    }

    assertThat(count(AuditEvent.DriftFound.class)).isEqualTo(100);
    assertThat(count(AuditEvent.DriftRepaired.class)).isEqualTo(100);
    assertThat(count(AuditEvent.LockAcquired.class)).isEqualTo(100);
    assertThat(count(AuditEvent.RunSkipped.class)).isZero();
    assertThat(works.audit.events()).filteredOn(AuditEvent.DriftFound.class::isInstance).first()
        .satisfies(it -> assertThat(((AuditEvent.DriftFound) it).differences()).isEqualTo("on is false, not true"));
  }

  @Test
  @DisplayName("A repair that fails: drifted until one succeeds, and tried again after pauses that double")
  void failing() {
    holds = false;
    repair(false);
    assertThat(works.runs.drifts().since("keep")).isPresent();
    for (int pause : List.of(0, 1, 2, 4, 8)) {
      for (int skipped = 0; skipped < pause; skipped++) {
        works.time.advance(MINUTE);
        assertThat(works.processes.events()).hasSize(2 * repairs);
      }
      repair(false);
    }

    assertThat(drifted).containsExactly(Map.entry("keep", true));
    assertThat(count(AuditEvent.DriftFound.class)).isOne();
    assertThat(works.audit.events()).filteredOn(AuditEvent.RunSkipped.class::isInstance)
        .allSatisfy(it -> assertThat(((AuditEvent.RunSkipped) it).reason()).isEqualTo("repair_does_not_hold"))
        .isNotEmpty();
  }
}
