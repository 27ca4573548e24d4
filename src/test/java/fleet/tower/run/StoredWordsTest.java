package fleet.tower.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import fleet.tower.intent.Controls;
import fleet.tower.intent.Intent;
import fleet.tower.run.members.Member;
import fleet.tower.task.TaskStatus;

/** A version fails to read a row with a word that it does not know, while it shares the database with this version. */
@DisplayName("The words in shared tables are those that 0.1.0 knows")
class StoredWordsTest {
  private static List<String> words(Enum<?>[] words) {
    return Arrays.stream(words).map(Enum::name).toList();
  }

  @Test
  @DisplayName("Runs, their steps, executors and tasks have no new status, mode or kind")
  void words() {
    // A refused run is stored as failed: RunDocumentTest.
    assertThat(words(RunStatus.values())).containsExactly("WAITING", "RUNNING", "SUCCEEDED", "FAILED", "CANCELLED",
        "TIMED_OUT", "LOCK_LOST", "INTERRUPTED", "REFUSED");
    assertThat(words(StepRecord.Status.values())).containsExactly("PENDING", "RUNNING", "SUCCEEDED", "FAILED",
        "TIMED_OUT", "CANCELLED", "LOCK_LOST", "SKIPPED", "INTERRUPTED");
    assertThat(words(StepRecord.Kind.values())).containsExactly("STEP", "STEP_ROLLBACK", "RUN_ROLLBACK");
    assertThat(words(Intent.Mode.values())).containsExactly("OBSERVE", "MUTATE", "RECONCILE");
    assertThat(words(Controls.Heartbeat.values())).containsExactly("TIMER", "PROGRESS");
    assertThat(words(Member.Kind.values())).containsExactly("SERVICE", "COMMAND");
    assertThat(words(TaskStatus.values())).containsExactly("PENDING", "IN_PROGRESS", "COMPLETED", "BLOCKED");
  }
}
