package fleet.tower.audit;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import fleet.tower.audit.AuditEvent.AccessDenied;
import fleet.tower.platform.time.ManualTime;

@DisplayName("The number of audited rejections")
class AuditBudgetTest {
  private final ManualTime time = new ManualTime();
  private final List<AuditEvent> told = new ArrayList<>();
  private final AuditBudget budget = new AuditBudget(told::addAll, time, time);

  private AccessDenied denied(int number, int untold) {
    return new AccessDenied(time.now(),
        new AuditEvent.Call("10.0." + number / 256 + "." + number % 256, "GET", "/locks"), null, "unknown_token",
        untold,
        null);
  }

  private void append(int from, int to) {
    for (int i = from; i < to; i++) {
      budget.append(denied(i, 0));
    }
  }

  @Test
  @DisplayName("600 a minute from all addresses together; then one line, with the number of the others")
  void minute() {
    append(0, AuditBudget.MOST_A_MINUTE);
    assertThat(told).hasSize(AuditBudget.MOST_A_MINUTE);
    time.advance(Duration.ofSeconds(20));
    append(1000, 1500);
    budget.append(denied(1500, 7));
    assertThat(told).hasSize(AuditBudget.MOST_A_MINUTE);
    AccessDenied last = denied(1500, 0);

    time.advance(Duration.ofSeconds(40));
    assertThat(told).hasSize(AuditBudget.MOST_A_MINUTE + 1).last().isEqualTo(last.omitting(507));
    append(0, AuditBudget.MOST_A_MINUTE + 1);
    assertThat(told).hasSize(2 * AuditBudget.MOST_A_MINUTE + 1);
    time.advance(Duration.ofMinutes(1));
    assertThat(told).hasSize(2 * AuditBudget.MOST_A_MINUTE + 2);
    assertThat(((AccessDenied) told.getLast()).omitted()).isZero();
  }

  @Test
  @DisplayName("Below the limit each is audited and nothing is added")
  void few() {
    append(0, 10);
    time.advance(Duration.ofMinutes(2));
    budget.append(denied(10, 3));
    time.advance(Duration.ofMinutes(2));
    assertThat(told).hasSize(11);
    assertThat(((AccessDenied) told.getLast()).omitted()).isEqualTo(3);
  }
}
