package fleet.tower.service.config.metrics;

import java.time.Duration;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.function.ToDoubleFunction;

import org.springframework.stereotype.Component;

import fleet.tower.home.Home;
import fleet.tower.lease.LeaseState;
import fleet.tower.lease.keepalive.RenewalLag;
import fleet.tower.lock.LockView;
import fleet.tower.lock.Locks;
import fleet.tower.platform.StorageException;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.platform.time.TimeLimited;
import fleet.tower.platform.time.TimeSource;
import fleet.tower.run.members.Hosts;
import fleet.tower.run.submit.Runs;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;

/**
 * Gauges that are computed when read. Locks are listed at most once in five seconds; a store that does not answer makes
 * the numbers unknown instead of the scrape slow.
 */
@Component
final class Gauges implements MeterBinder {
  /** How long a scrape waits for a store. */
  static final Duration LIMIT = Duration.ofMillis(1500);
  private static final Duration FRESH = Duration.ofSeconds(5);

  private final Runs runs;
  private final RenewalLag punctuality;
  private final TimeLimited<Census> census;
  private final TimeLimited<Double> differing;
  private final TimeLimited<Double> awaiting;
  private final Home home;

  Gauges(Home home, Locks locks, Runs runs, RenewalLag punctuality, Hosts hosts, TimeSource time, Scheduler scheduler) {
    this.home = home;
    this.differing = new TimeLimited<>("tower-differing", () -> known(() -> hosts.differences().intents().size()),
        LIMIT, FRESH, time, scheduler);
    this.awaiting = new TimeLimited<>("tower-approvals", () -> known(runs.approvals()::open), LIMIT, FRESH, time,
        scheduler);
    this.runs = runs;
    this.punctuality = punctuality;
    this.census = new TimeLimited<>("tower-census", () -> Census.of(locks), LIMIT, FRESH, time, scheduler);
  }

  /** The number of locks in each state, and of waiters. */
  private record Census(double held, double stale, double waiters) {
    private static final Census UNKNOWN = new Census(Double.NaN, Double.NaN, Double.NaN);

    static Census of(Locks locks) {
      try {
        List<LockView> views = locks.list();
        return new Census(count(views, LeaseState.State.ACTIVE), count(views, LeaseState.State.STALE),
            views.stream().mapToInt(view -> locks.waiters(view.name())).sum());
      } catch (StorageException e) {
        return UNKNOWN;
      }
    }

    private static double count(List<LockView> views, LeaseState.State state) {
      return (double) views.stream().filter(view -> view.state() == state).count();
    }
  }

  private static double known(LongSupplier number) {
    try {
      return number.getAsLong();
    } catch (StorageException e) {
      return Double.NaN;
    }
  }

  @Override
  public void bindTo(MeterRegistry registry) {
    counted(registry, "tower.locks.held", "Locks with a live holder", Census::held);
    counted(registry, "tower.locks.stale", "Locks whose last heartbeat is older than their ttl",
        Census::stale);
    counted(registry, "tower.lock.waiters", "Requests that wait for a lock", Census::waiters);
    Gauge.builder("tower.database.up", home, it -> it.isDatabaseUp() ? 1 : 0)
        .description("Whether the database answers, as far as known: 1 or 0").register(registry);
    Gauge.builder("tower.database.connections.used", home, it -> it.databaseUse().used())
        .description("Connections to the database that this service uses now").register(registry);
    Gauge.builder("tower.database.connections.waiting", home, it -> it.databaseUse().waiting())
        .description("Calls of this service that wait for a connection to the database").register(registry);
    Gauge.builder("tower.intents.differing", differing, asked -> asked.get().orElse(Double.NaN))
        .description("Intents in which the live hosts of the fleet differ").register(registry);
    Gauge.builder("tower.approvals.open", awaiting, asked -> asked.get().orElse(Double.NaN))
        .description("Runs of the home that wait for their approval").register(registry);
    Gauge.builder("tower.runs.active", runs, Runs::active)
        .description("Runs that this service executes, or that wait here for their lock").register(registry);
    Gauge.builder("tower.lock.heartbeat.lag", punctuality, beats -> seconds(beats.lag())).baseUnit("seconds")
        .description("Lateness of the latest heartbeat of any run's lock in the last minutes")
        .register(registry);
    Gauge.builder("tower.leases.failing", punctuality, RenewalLag::failing)
        .description("Locks of this service's runs whose last heartbeat failed").register(registry);
    FunctionCounter.builder("tower.lock.heartbeat.failures", punctuality, RenewalLag::failures)
        .description("Heartbeats of runs' locks that failed").register(registry);
  }

  private void counted(MeterRegistry registry, String name, String description, ToDoubleFunction<Census> number) {
    Gauge.builder(name, census, asked -> number.applyAsDouble(asked.get().orElse(Census.UNKNOWN)))
        .description(description).register(registry);
  }

  private static double seconds(Duration duration) {
    return duration.toMillis() / 1000.0;
  }
}
