package fleet.tower.task.sql;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.platform.time.ManualTime;
import fleet.tower.task.TaskOutcome;
import fleet.tower.task.TaskSteps;
import fleet.tower.task.TaskStore;

@DisplayName("The clock for the claims of one host")
class SqliteTaskTimeTest extends TaskSteps {
  private final ManualTime time = new ManualTime();
  private final TaskDatabase database;
  private final TaskStore store;

  SqliteTaskTimeTest(@TempDir Path home) {
    database = new TaskDatabase("jdbc:sqlite:" + home.resolve("state/tower.db"));
    store = new SqlTasks(database.url(), time).open();
  }

  @AfterEach
  void close() {
    store.close();
  }

  @Override
  protected TaskStore store() {
    return store;
  }

  @Override
  protected void pass(Duration duration) {
    time.advance(duration);
  }

  @Test
  @DisplayName("VB-3 at the exact millisecond of its end a claim is still its owner's; a millisecond later any agent's")
  void boundary() {
    create("t");
    done(claim(ANN));
    pass(Duration.ofSeconds(60));
    assertThat(claim(BOB)).isEqualTo(new TaskOutcome.Idle());
    done(beat(ANN, "t"));
    pass(Duration.ofMillis(60_001));
    assertThat(beat(ANN, "t")).isInstanceOf(TaskOutcome.NotOwned.class);
    assertThat(idOf(claim(BOB))).isEqualTo("t");
  }

  @Test
  @DisplayName("VB-B12 a step of the wall clock neither ends nor extends a claim: the boot clock decides")
  void wallClockSteps() {
    create("t");
    done(claim(ANN));
    stepDatabaseClock(Duration.ofHours(2));
    assertThat(claim(BOB)).as("stepped forward by two hours").isEqualTo(new TaskOutcome.Idle());
    done(beat(ANN, "t"));
    stepDatabaseClock(Duration.ofHours(-4));
    pass(LONGER);
    assertThat(idOf(claim(BOB))).as("stepped back by two hours, and a minute later").isEqualTo("t");
  }

  /** Shifts all stored wall times, which is the same to the store as a step of its wall clock. */
  private void stepDatabaseClock(Duration by) {
    database.change("UPDATE tasks SET claim_expires_at = claim_expires_at - " + by.toMillis()
        + ", claimed_at = claimed_at - " + by.toMillis() + ", last_heartbeat_at = last_heartbeat_at - "
        + by.toMillis());
  }

  @Test
  @DisplayName("VB-B12 after another boot, and without a boot clock, the wall clock decides")
  void otherBoots() {
    create("t");
    done(claim(ANN));
    time.reboot("boot-2");
    assertThat(claim(BOB)).isEqualTo(new TaskOutcome.Idle());
    stepDatabaseClock(LONGER);
    assertThat(idOf(claim(BOB))).isEqualTo("t");
    time.hideBootClock();
    done(beat(BOB, "t"));
    assertThat(claim(ANN)).isEqualTo(new TaskOutcome.Idle());
    stepDatabaseClock(LONGER);
    assertThat(idOf(claim(ANN))).isEqualTo("t");
  }

  @Test
  @DisplayName("VB-B12 the times of a task are milliseconds of the database's clock, not of the caller's")
  void databaseClock() {
    create("t");
    long before = Long.parseLong(database.look("SELECT CAST(unixepoch('subsec') * 1000 AS INTEGER)").getFirst());
    long claimedAt = claim(done(claim(ANN)).seen().task()).claimedAt().toEpochMilli();
    long after = Long.parseLong(database.look("SELECT CAST(unixepoch('subsec') * 1000 AS INTEGER)").getFirst());
    assertThat(claimedAt).isBetween(before, after);
  }

  @Test
  @DisplayName("VB-24 the doctor reports tasks with expired claims")
  void doctor() {
    assertThat(new SqlTasks(database.url(), time).examination().examine()).singleElement()
        .satisfies(finding -> assertThat(finding.message()).isEqualTo("0 active, none has expired"));
    create("t");
    done(claim(ANN));
    pass(LONGER);
    assertThat(new SqlTasks(database.url(), time).examination().examine()).singleElement().satisfies(finding -> {
      assertThat(finding.message()).isEqualTo("1 expired, and the tasks are not claimed again: t");
      assertThat(finding.remedy()).contains("tower task gc");
    });
  }
}
