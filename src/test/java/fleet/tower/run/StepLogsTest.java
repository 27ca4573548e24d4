package fleet.tower.run;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import fleet.tower.lease.RequestId;

class StepLogsTest {

  /** Logs that must not be read. */
  private static final class Untouched implements StepLogs {
    @Override
    public Output read(RequestId requestId, String logName, long from, int maxBytes) {
      throw new AssertionError("read " + logName);
    }

    @Override
    public long size(RequestId requestId, String logName) {
      throw new AssertionError("size of " + logName);
    }
  }

  @Test
  @DisplayName("The tail of a step that has not started, or has printed nothing, is known without reading its log")
  void silent() {
    StepRecord pending = StepRecord.pending("build", StepRecord.Kind.STEP);
    StepRecord silent = pending.started(Runs.NOON).ended(StepRecord.Status.SUCCEEDED, 0, 12, null).withOutputSize(0L);

    assertThat(new Untouched().tail(Runs.waiting("r1"), pending)).isEmpty();
    assertThat(new Untouched().tail(Runs.waiting("r1"), silent)).isEmpty();
  }
}
