package fleet.tower.service.config.health;

import java.time.Duration;
import java.util.function.Supplier;

import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

import fleet.tower.home.Home;
import fleet.tower.platform.text.Console;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.platform.time.TimeLimited;
import fleet.tower.platform.time.TimeSource;
import fleet.tower.run.members.Hosts;

/**
 * The checks behind {@code /actuator/health/readiness}. Anyone may call it, so a result is cached for a second and
 * shows no path or address; details go to the service's own output. Liveness runs none of the checks, because a new
 * process would have the same disk.
 */
@Configuration(proxyBeanMethods = false)
@Import({HeartbeatHealth.class, WorkersHealth.class, AccessHealth.class})
public class HealthConfiguration {
  /** Ready, but an operator should act. */
  static final Status DEGRADED = new Status("DEGRADED");
  private static final Duration LIMIT = Duration.ofMillis(1500);
  private static final Duration FRESH = Duration.ofSeconds(1);
  /** Standbys change rarely, and do not affect readiness. */
  private static final Duration STANDBYS_FRESH = Duration.ofSeconds(5);
  private static final Duration INTENTS_FRESH = Duration.ofSeconds(5);

  @Bean
  ExaminedHealth lockDirectory(Home home, Console console, TimeSource time, Scheduler scheduler) {
    return new ExaminedHealth("lock directory", home.upkeep().lockWriting(), () -> false, console,
        question -> bounded("tower-health-locks",
            question, time, scheduler));
  }

  @Bean
  ExaminedHealth database(Home home, Console console, TimeSource time, Scheduler scheduler) {
    return new ExaminedHealth("database", home.upkeep().databaseReach(), home::isDatabaseDoubtful, console,
        question -> bounded("tower-health-database",
            question, time, scheduler));
  }

  @Bean
  StoreHealth store(Home home) {
    return new StoreHealth(home);
  }

  @Bean
  AuditHealth audit(Home home, TimeSource time, Scheduler scheduler) {
    return new AuditHealth(home.auditLog(), question -> bounded("tower-health-audit", question, time, scheduler));
  }

  @Bean
  ReplicationHealth replication(Home home, Console console, TimeSource time, Scheduler scheduler) {
    return new ReplicationHealth(home.upkeep()::replication, console,
        question -> new TimeLimited<>("tower-health-replication", question, LIMIT, STANDBYS_FRESH, time, scheduler));
  }

  @Bean
  PolicyHealth policy(Home home, Console console, TimeSource time, Scheduler scheduler) {
    return new PolicyHealth(home.policy(), home.root(), console,
        question -> bounded("tower-health-policy", question, time, scheduler));
  }

  @Bean
  IntentsHealth intents(Hosts hosts, TimeSource time, Scheduler scheduler) {
    return new IntentsHealth(hosts, question -> new TimeLimited<>("tower-health-intents", question, LIMIT,
        INTENTS_FRESH, time, scheduler));
  }

  private static TimeLimited<Health> bounded(String thread, Supplier<Health> question, TimeSource time,
      Scheduler scheduler) {
    return new TimeLimited<>(thread, question, LIMIT, FRESH, time, scheduler);
  }
}
