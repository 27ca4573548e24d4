package fleet.tower.home;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import fleet.tower.platform.Finding;
import fleet.tower.platform.Finding.Severity;
import fleet.tower.platform.time.ManualTime;

class DoctorTest {

  @Test
  @DisplayName("The highest severity is the overall one; without findings it is ok")
  void overall() {
    Finding ok = Finding.ok("a", "fine");
    Finding warn = Finding.warn("b", "so so", "look");
    Finding fail = Finding.fail("c", "broken", "mend");

    assertThat(Doctor.overall(List.of())).isEqualTo(Severity.OK);
    assertThat(Doctor.overall(List.of(ok, warn, ok))).isEqualTo(Severity.WARN);
    assertThat(Doctor.overall(List.of(fail, warn, ok))).isEqualTo(Severity.FAIL);
    assertThat(Severity.FAIL).hasToString("fail");
  }

  @Test
  @DisplayName("A check that fails to run is a finding itself, and the other checks run")
  void unlookable() {
    Doctor doctor = new Doctor(List.of(() -> {
      throw new IllegalStateException("no disk");
    }, () -> List.of(Finding.ok("b", "fine"))));

    assertThat(doctor.examine()).containsExactly(
        Finding.fail("doctor", "a check failed: no disk", "fix the reported problem, then run `tower doctor` again"),
        Finding.ok("b", "fine"));
  }

  @Test
  @DisplayName("A finding that is not ok has a remedy; an ok one has none")
  void remedies() {
    assertThatThrownBy(() -> new Finding("a", Severity.OK, "fine", "but do this"))
        .isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> new Finding("a", Severity.WARN, "so so", null)).isInstanceOf(IllegalStateException.class)
        .hasMessage("a finding needs a remedy exactly if it is not ok: a");
  }

  @Test
  @DisplayName("The clocks: ok, set before this program was written, and without a boot clock")
  void clocks() {
    ManualTime time = new ManualTime("2026-05-01T12:00:00Z");
    assertThat(new ClockExamination(time).examine()).containsExactly(
        Finding.ok("wall clock", "2026-05-01T12:00:00Z"),
        Finding.ok("boot clock", "confirms that a lock is stale"));

    ManualTime early = new ManualTime("1970-01-01T00:00:07Z");
    early.hideBootClock();
    assertThat(new ClockExamination(early).examine()).containsExactly(
        Finding.fail("wall clock", "1970-01-01T00:00:07Z is earlier than the release of this program",
            "set the clock; a lock acquired now would become stale when it is set"),
        Finding.warn("boot clock",
            "this system has none, so a step of the wall clock can make a live lock look stale",
            "keep the clock slewed, not stepped, while locks are held"));
  }
}
