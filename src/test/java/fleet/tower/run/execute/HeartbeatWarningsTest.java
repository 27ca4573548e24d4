package fleet.tower.run.execute;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class HeartbeatWarningsTest {
  private final List<String> warned = new ArrayList<>();
  private final List<String> watched = new ArrayList<>();
  private final List<String> logged = new ArrayList<>();
  private final HeartbeatWarnings warnings = new HeartbeatWarnings(warned::add, watched::add, logged::add);

  @Test
  @DisplayName("TF-5.6 the first and the third failure in a row are warnings; the success after them is logged")
  void streak() {
    for (int i = 1; i <= 10; i++) {
      warnings.failed(i, "EIO");
    }
    warnings.renewed();
    warnings.renewed();

    assertThat(warned).containsExactly("the lock was not renewed: EIO; trying again",
        "the lock could not be renewed 3 times in a row: EIO");
    assertThat(logged).containsExactly("the lock was renewed again");
  }

  @Test
  @DisplayName("One interval without progress is not a warning, three are")
  void withoutProgress() {
    warnings.heldBack(1, "no progress since 2026-01-01T00:00:00Z");
    warnings.heldBack(2, "no progress since 2026-01-01T00:00:00Z");
    assertThat(warned).isEmpty();
    warnings.heldBack(3, "no progress since 2026-01-01T00:00:00Z");
    assertThat(warned).hasSize(1);
    warnings.renewed();
    assertThat(logged).isEmpty();
  }

  @Test
  @DisplayName("An outage, which is reported to the operator once for all runs, is a warning to the watchers of the run")
  void outage() {
    for (int i = 1; i <= 4; i++) {
      warnings.unreachable(i, "the database cannot be reached");
    }
    warnings.renewed();

    assertThat(watched).containsExactly("the lock was not renewed: the database cannot be reached; trying again",
        "the lock could not be renewed 3 times in a row: the database cannot be reached");
    assertThat(warned).isEmpty();
    assertThat(logged).isEmpty();
  }

  @Test
  @DisplayName("A store that fails every other minute fills neither the record of a long run nor the log")
  void flapping() {
    for (int i = 0; i < 10_000; i++) {
      warnings.failed(1, "EIO");
      warnings.renewed();
    }

    assertThat(warned).hasSize(HeartbeatWarnings.MOST);
    assertThat(warned.getLast()).endsWith("; further failures are only counted, in heartbeat_failures");
    assertThat(logged).hasSizeLessThanOrEqualTo(HeartbeatWarnings.MOST);
  }
}
