package fleet.tower.service.config.metrics;

import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

import org.jspecify.annotations.Nullable;

import fleet.tower.audit.AuditEvent;
import fleet.tower.audit.AuditListener;
import fleet.tower.audit.EventNames;
import fleet.tower.home.Home;
import fleet.tower.lease.Decision;
import fleet.tower.lock.AcquireOutcome;
import fleet.tower.lock.Locks;
import fleet.tower.lock.queue.WaitOutcome;
import fleet.tower.run.Run;
import fleet.tower.run.RunListener;
import fleet.tower.run.StepRecord;
import fleet.tower.run.Tracing;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;

/** Counters and timers. Every label has few values, and known ones are registered at the start with 0. */
final class Measures implements Locks.Listener, RunListener {
  /** The number of intents with their own label; a catalogue that changes for months must not fill the memory. */
  static final int MAX_INTENTS = 200;
  private static final String OTHER = "other";
  private static final String ACQUISITIONS = "tower.lock.acquisitions";
  private static final String EVENTS = "tower.audit.events";
  private static final String ROLLBACKS = "tower.rollbacks";

  private final MeterRegistry registry;
  private final Timer wait;
  private final Timer held;
  private final Timer step;
  private final Counter replays;
  private final Counter lostEvents;
  private final Set<String> intents = ConcurrentHashMap.newKeySet();
  private final Map<String, AtomicInteger> schedules = new ConcurrentHashMap<>();
  private final Map<String, AtomicInteger> drifts = new ConcurrentHashMap<>();

  Measures(MeterRegistry registry) {
    this.registry = registry;
    this.wait = timer("tower.lock.wait", "Time that lock requests waited for their answer")
        .register(registry);
    this.held = timer("tower.lock.held", "Time that released locks were held").register(registry);
    this.step = timer("tower.step.duration", "Duration of steps and rollbacks").register(registry);
    this.replays = Counter.builder("tower.idempotency.replays")
        .description("Calls that were answered with an earlier run of the same request").register(registry);
    this.lostEvents = Counter.builder("tower.audit.events.lost")
        .description("Audit events that could not be written").register(registry);
    Outcomes.ALL.forEach(this::acquisitions);
    EventNames.ALL.forEach(this::events);
    Set.of("success", "failure", "skipped").forEach(this::rollbacks);
  }

  Home.Listener listener() {
    return new Home.Listener(new AuditListener() {
      @Override
      public void written(AuditEvent event) {
        events(EventNames.of(event)).increment();
        happened(event);
      }

      @Override
      public void lost(AuditEvent event) {
        lostEvents.increment();
        happened(event);
      }
    }, this, this, Tracing.NONE);
  }

  private static Timer.Builder timer(String name, String description) {
    return Timer.builder(name).description(description).serviceLevelObjectives(Duration.ofMillis(100),
        Duration.ofSeconds(1), Duration.ofSeconds(10), Duration.ofMinutes(1), Duration.ofMinutes(10),
        Duration.ofHours(1));
  }

  private Counter acquisitions(String outcome) {
    return Counter.builder(ACQUISITIONS).description("Requests for locks, by their outcome")
        .tag("outcome", outcome).register(registry);
  }

  private Counter events(String event) {
    return Counter.builder(EVENTS).description("Events of the audit log").tag("event", event).register(registry);
  }

  private Counter rollbacks(String result) {
    return Counter.builder(ROLLBACKS).description("Rollbacks of runs, by their result").tag("result", result)
        .register(registry);
  }

  private void happened(AuditEvent event) {
    if (event instanceof AuditEvent.LockReleased released) {
      held.record(Duration.ofSeconds(released.heldSeconds()));
    } else if (event instanceof AuditEvent.RunFinished finished && !finished.rollback().equals("none")) {
      rollbacks(finished.rollback().startsWith("skipped") ? "skipped" : finished.rollback()).increment();
    }
  }

  @Override
  public void answered(WaitOutcome<AcquireOutcome, Decision.Obstacle> outcome, @Nullable Duration waited) {
    acquisitions(Outcomes.of(outcome, waited != null)).increment();
    if (waited != null) {
      wait.record(waited);
    }
  }

  @Override
  public void unavailable() {
    acquisitions(Outcomes.UNAVAILABLE).increment();
  }

  @Override
  public void replayed(Run run) {
    replays.increment();
  }

  /** A run that was refused its lock counts as a refused lock, not as a finished run. */
  @Override
  public void ended(Run run) {
    Instant end = run.finishedAt();
    if (run.refusal() != null || end == null) {
      return;
    }
    timer("tower.run.duration", "Duration of runs, from request to end")
        .tag("intent", label(run.intent()))
        .tag("mode", run.header().subject().mode().toString().toLowerCase(Locale.ROOT))
        .tag("result", String.valueOf(run.status().result()))
        .register(registry).record(notNegative(Duration.between(run.header().createdAt(), end)));
    run.begun().stream().filter(it -> it.isFinished() && it.status() != StepRecord.Status.INTERRUPTED)
        .forEach(it -> step.record(Duration.ofMillis(it.durationMillis())));
  }

  @Override
  public void scheduled(String intent, int blocked, @Nullable Boolean isDrifted) {
    gauge(schedules, "tower.schedule.blocked",
        "Times in a row that a schedule was skipped for a cause that needs an operator", intent).set(blocked);
    if (isDrifted != null) {
      gauge(drifts, "tower.drift", "Whether the desired state of a scheduled intent does not hold", intent)
          .set(isDrifted ? 1 : 0);
    }
  }

  private AtomicInteger gauge(Map<String, AtomicInteger> of, String name, String description, String intent) {
    return of.computeIfAbsent(label(intent), label -> {
      AtomicInteger value = new AtomicInteger();
      Gauge.builder(name, value, AtomicInteger::get).tag("intent", label).description(description).register(registry);
      return value;
    });
  }

  /** Runs refer to intents that exist or existed, so only their number needs a bound. */
  private String label(String intent) {
    return intents.contains(intent) || (intents.size() < MAX_INTENTS && intents.add(intent)) ? intent : OTHER;
  }

  /** The wall clock may have been set back meanwhile. */
  private static Duration notNegative(Duration duration) {
    return duration.isNegative() ? Duration.ZERO : duration;
  }
}
