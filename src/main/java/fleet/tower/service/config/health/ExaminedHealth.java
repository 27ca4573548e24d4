package fleet.tower.service.config.health;

import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;

import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;

import fleet.tower.platform.Examination;
import fleet.tower.platform.Finding;
import fleet.tower.platform.text.Console;
import fleet.tower.platform.time.TimeLimited;

/** The health of an examination that must pass in time. A new finding is printed on the console once. */
final class ExaminedHealth implements HealthIndicator {
  private static final String PROBLEM = "problem";

  private final String what;
  private final Examination examination;
  private final BooleanSupplier isReportedElsewhere;
  private final Console console;
  private final TimeLimited<Health> question;
  private final AtomicReference<String> reported = new AtomicReference<>("");

  /** @param isReportedElsewhere whether a failure now is an outage that the process reports once */
  ExaminedHealth(String what, Examination examination, BooleanSupplier isReportedElsewhere, Console console,
      Function<Supplier<Health>, TimeLimited<Health>> bounds) {
    this.what = what;
    this.examination = examination;
    this.isReportedElsewhere = isReportedElsewhere;
    this.console = console;
    this.question = bounds.apply(this::examine);
  }

  @Override
  public Health health() {
    return question.get().orElseGet(() -> {
      report("the " + what + " does not answer; check its disk or server");
      return Health.down().withDetail(PROBLEM, "no answer in time").build();
    });
  }

  private Health examine() {
    Optional<Finding> failure = examination.examine().stream()
        .filter(finding -> finding.severity() == Finding.Severity.FAIL).findFirst();
    report(failure.map(finding -> finding.message() + "; " + finding.remedy()).orElse(""));
    return failure.map(finding -> Health.down().withDetail(PROBLEM, finding.check()).build())
        .orElseGet(() -> Health.up().build());
  }

  private void report(String problem) {
    if (!problem.isEmpty() && isReportedElsewhere.getAsBoolean()) {
      return;
    }
    String before = reported.getAndSet(problem);
    if (problem.equals(before)) {
      return;
    }
    console.words(problem.isEmpty()
        ? "tower: the " + what + " works again"
        : "tower: warning: not ready: " + problem);
  }
}
