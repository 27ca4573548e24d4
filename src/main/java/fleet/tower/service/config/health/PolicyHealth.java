package fleet.tower.service.config.health;

import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.Supplier;

import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;

import fleet.tower.platform.text.Console;
import fleet.tower.platform.time.TimeLimited;
import fleet.tower.policy.PolicySource;

/**
 * The health of the policy. While it is wrong nothing new begins, but what has begun goes on and renews its locks
 * through this service: it is degraded but ready.
 */
final class PolicyHealth implements HealthIndicator {
  private final PolicySource policy;
  private final String home;
  private final Console console;
  private final TimeLimited<Health> question;
  private final AtomicReference<String> reported = new AtomicReference<>("");

  /** @param home the directory of the home, which health does not show */
  PolicyHealth(PolicySource policy, Path home, Console console,
      Function<Supplier<Health>, TimeLimited<Health>> bounds) {
    this.policy = policy;
    this.home = home + "/";
    this.console = console;
    this.question = bounds.apply(this::look);
  }

  @Override
  public Health health() {
    return question.get().orElseGet(() -> Health.unknown().build());
  }

  private Health look() {
    return switch (policy.now()) {
      case PolicySource.Known _ -> {
        report("", "tower: the policy is valid again");
        yield Health.up().build();
      }
      case PolicySource.Invalid(String problem) -> {
        report(problem, "tower: warning: degraded: nothing new begins: " + problem);
        yield Health.status(HealthConfiguration.DEGRADED).withDetail("problem", problem.replace(home, "")).build();
      }
    };
  }

  private void report(String problem, String words) {
    if (!problem.equals(reported.getAndSet(problem))) {
      console.words(words);
    }
  }
}
