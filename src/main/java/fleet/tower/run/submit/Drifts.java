package fleet.tower.run.submit;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import fleet.tower.audit.AuditEvent;
import fleet.tower.audit.AuditLog;
import fleet.tower.audit.Origin;
import fleet.tower.lease.Door;
import fleet.tower.platform.time.TimeSource;
import fleet.tower.run.Observation;
import fleet.tower.run.Run;
import fleet.tower.run.RunStatus;

/**
 * The scheduled intents whose desired state does not hold, as far as this process has seen. After each repair in a row
 * the next one waits twice as long; the first look that sees the desired state resets that.
 */
public final class Drifts {
  private static final long LONGEST_MINUTES = 60;

  private final AuditLog audit;
  private final TimeSource time;
  private final Map<String, Drift> drifts = new ConcurrentHashMap<>();

  Drifts(AuditLog audit, TimeSource time) {
    this.audit = audit;
    this.time = time;
  }

  /**
   * What is known about an intent.
   *
   * @param since when the desired state was first seen not to hold; null if it holds
   * @param repairs the repairs since a look last saw the desired state
   * @param notBefore when the next repair may begin
   */
  private record Drift(@Nullable Instant since, int repairs, Instant notBefore) {
    static final Drift NONE = new Drift(null, 0, Instant.MIN);
  }

  /** Since when the desired state of an intent does not hold; empty if it holds, or that is not known. */
  public Optional<Instant> since(String intent) {
    return Optional.ofNullable(of(intent).since());
  }

  private Drift of(String intent) {
    return drifts.getOrDefault(intent, Drift.NONE);
  }

  /** Whether the next repair of an intent must wait, because the last ones did not hold. */
  boolean isPaused(String intent) {
    return time.now().isBefore(of(intent).notBefore());
  }

  /** A scheduled run looks before it begins. */
  void looked(Run.Header run, Observation seen, String desired) {
    if (run.actor().door() != Door.SCHEDULE) {
      return;
    }
    if (seen.holds(desired)) {
      end(run, true);
      drifts.remove(run.intent());
    } else if (seen instanceof Observation.Seen && of(run.intent()).since() == null) {
      begin(run.intent());
      audit.append(new AuditEvent.DriftFound(run.requestId(), time.now(), run.intent(), run.lockName(),
          seen.differences(desired).stream().map(Observation.Difference::text).collect(Collectors.joining("; ")),
          Origin.of(run.actor())));
    }
  }

  private void begin(String intent) {
    Drift before = of(intent);
    drifts.put(intent, new Drift(time.now(), before.repairs(), before.notBefore()));
  }

  /**
   * A scheduled run has ended.
   *
   * @param isOwn whether this process executed it
   */
  void ended(Run run, boolean isOwn) {
    if (run.probed().unchanged()) {
      end(run.header(), isOwn);
      drifts.remove(run.intent());
      return;
    }
    if (run.begun().isEmpty()) {
      return;
    }
    if (run.status() == RunStatus.SUCCEEDED) {
      end(run.header(), isOwn);
    } else if (run.probed().before() instanceof Observation.Seen && of(run.intent()).since() == null) {
      begin(run.intent());
    }
    Drift drift = of(run.intent());
    drifts.put(run.intent(),
        new Drift(drift.since(), drift.repairs() + 1, time.now().plus(pauseAfter(drift.repairs() + 1))));
  }

  /** There is no pause after the first repair, because the next look tells whether it holds. */
  private static Duration pauseAfter(int repairs) {
    return repairs < 2 ? Duration.ZERO : Duration.ofMinutes(Math.min(1L << Math.min(repairs - 2, 6), LONGEST_MINUTES));
  }

  private void end(Run.Header run, boolean isOwn) {
    Drift drift = of(run.intent());
    if (drift.since() == null) {
      return;
    }
    drifts.put(run.intent(), new Drift(null, drift.repairs(), drift.notBefore()));
    if (isOwn) {
      audit.append(new AuditEvent.DriftRepaired(run.requestId(), time.now(), run.intent(), run.lockName(),
          drift.since(), Origin.of(run.actor())));
    }
  }
}
