package fleet.tower.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The check of what the runs of a fleet wrote")
class FleetLoadTest {
  @Test
  @DisplayName("Finds runs that overlap, start twice, or have a token that did not grow, and no others")
  void overlaps() {
    assertThat(FleetLoad.overlaps(List.of("a 1 r1 enter", "b 1 r2 enter", "a 1 r1 exit", "a 2 r3 enter", "a 3 r4 enter",
        "a 3 r4 exit", "b 1 r2 exit"))).as("r3 was killed").isEmpty();
    assertThat(FleetLoad.overlaps(List.of("a 1 r1 enter", "a 2 r2 enter", "a 1 r1 exit"))).hasSize(1);
    assertThat(FleetLoad.overlaps(List.of("a 1 r1 enter", "a 1 r1 exit", "a 2 r1 enter"))).hasSize(1);
    assertThat(FleetLoad.overlaps(List.of("a 2 r1 enter", "a 2 r1 exit", "a 2 r2 enter"))).hasSize(1);
  }
}
