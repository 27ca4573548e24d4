package fleet.tower.lock.file;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import fleet.tower.harness.Extent;

class SimulationTest {
  private static final long SCHEDULES = Extent.of(5_000, 50_000, 5_000_000);
  private static final long BASE_SEED = 20_260_101_000_000L + Extent.offset(SCHEDULES);

  /** Everything that can happen happens at least once in so many schedules. */
  private static final long RAREST = 400;

  @Test
  @Timeout(1800)
  @DisplayName("TF-1.1 TF-1.2 TF-7.2 no schedule of three processes, crashes, power losses and faults breaks a promise")
  void noScheduleBreaksAPromise() throws InterruptedException {
    Long seed = Long.getLong("simulation.seed");
    if (seed != null) {
      String replay = Simulation.replay(seed);
      System.out.println(replay);
      assertThat(replay).endsWith("no promise is broken");
      return;
    }
    Tally tally = new Tally();
    assertThat(Simulation.run(BASE_SEED, SCHEDULES, tally)).isNull();
    System.out.println(SCHEDULES + " schedules: " + tally);
    for (Tally.Event event : Tally.Event.values()) {
      assertThat(tally.of(event)).as("%s in %d schedules", event, SCHEDULES).isGreaterThan(SCHEDULES / RAREST);
    }
  }

  @Test
  @DisplayName("the same seed gives the same schedule, step by step")
  void sameSeedSameTrace() {
    for (long seed = BASE_SEED; seed < BASE_SEED + 200; seed++) {
      assertThat(Simulation.replay(seed)).isEqualTo(Simulation.replay(seed))
          .hasLineCount(Simulation.replay(seed).split("\n", -1).length);
    }
  }
}
