package fleet.tower.answer;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

import org.jspecify.annotations.Nullable;

import fleet.tower.lease.Age;
import fleet.tower.lease.Decision;
import fleet.tower.lease.Lease;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.LeaseState;
import fleet.tower.lock.LockView;
import fleet.tower.lock.Locks;
import fleet.tower.lock.queue.WaitQueue.WaitingRequest;
import fleet.tower.platform.StorageException;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.platform.time.TimeSource;
import fleet.tower.run.Run;
import fleet.tower.run.RunRefusal;
import fleet.tower.run.RunStatus;
import fleet.tower.run.execute.RunHandle;
import fleet.tower.run.submit.Runs;

/**
 * Estimates when a request may have the lock that it was refused or waits for: after the rest of the holder's usual
 * time and the usual time of each request ahead, but not in less than two seconds. The usual time of an intent is the
 * median duration of its newest successful runs.
 *
 * <ul>
 * <li>A holder without a usual time has a third of its ttl left, and a freeze its remaining time, both at most a
 * minute, because either may end at any time.
 * <li>A request ahead without a usual time counts as nothing.
 * <li>If the holder's usual time has passed, nothing is known, so there is no estimate.
 * </ul>
 */
public final class LockEstimates {
  private static final long LEAST_SECONDS = 2;
  private static final Duration LONGEST_GUESS = Duration.ofSeconds(60);
  /** Leases have whole seconds, so a holder may seem to have had its lock for almost a second too long. */
  private static final Duration ROUNDING = Duration.ofSeconds(1);

  private final Locks locks;
  private final Runs runs;
  private final TimeSource time;

  public LockEstimates(Locks locks, Runs runs, TimeSource time) {
    this.locks = locks;
    this.runs = runs;
    this.time = time;
  }

  /**
   * The estimate for a request.
   *
   * @param position its place in the queue if it waits; 1 for the next one
   * @param seconds the time until it may have the lock; empty if the holder takes longer than usual
   */
  public record Estimate(int position, OptionalLong seconds) {

    /** The estimate in a sentence. */
    public String sentence() {
      return seconds.isPresent()
          ? "The lock may be free in about " + seconds.getAsLong() + " s."
          : "Its holder takes longer than usual.";
    }

    /** Adds its members to a refusal. */
    public JsonWriter addTo(JsonWriter json) {
      return addSecondsTo(json.put("position", position));
    }

    /** Adds the time alone, to an answer that has the position. */
    public JsonWriter addSecondsTo(JsonWriter json) {
      return seconds.isPresent() ? json.put("retry_after_seconds", seconds.getAsLong()) : json;
    }
  }

  /** The present time, by which it estimates. */
  public Instant moment() {
    return time.now();
  }

  /** The estimate for a request that was refused: if it waited, it would be behind all others. */
  public Estimate of(LeaseName lock, Decision.Obstacle obstacle) {
    Map<String, Optional<Duration>> known = new HashMap<>();
    return estimate(rest(obstacle, known), locks.queue(lock), known);
  }

  /** The estimate for a new request for a lock; empty if waiting for it does not help, or if it cannot be read. */
  public Optional<Estimate> now(LeaseName lock) {
    try {
      return of(locks.view(lock));
    } catch (StorageException unknown) {
      return Optional.empty();
    }
  }

  /** The estimate for a repetition of a run's request that was refused; empty if waiting would not have helped. */
  public Optional<Estimate> of(@Nullable RunRefusal refusal) {
    return switch (refusal) {
      case RunRefusal.TimedOut timedOut -> now(timedOut.lock());
      case RunRefusal.Obstacle obstacle -> now(obstacle.lock());
      case RunRefusal.Stale _,RunRefusal.Unusable _,RunRefusal.TooManyWaiters _,RunRefusal.StorageUnavailable _ ->
        Optional.empty();
      case RunRefusal.OfApproval _,RunRefusal.Barred _,RunRefusal.IntentChanged _,RunRefusal.PlanChanged _,RunRefusal.NotAllowed _,RunRefusal.ForeignLocked _,RunRefusal.Unrecognized _ ->
        Optional.empty();
      case null -> Optional.empty();
    };
  }

  /** The estimate for a new request for a lock; empty if waiting for it does not help. */
  public Optional<Estimate> of(LockView lock) {
    if (lock.freeze().refusal() instanceof Decision.Obstacle frozen) {
      return Optional.of(of(lock.name(), frozen));
    }
    return switch (lock.leaseState()) {
      case LeaseState.Vacant() when !lock.isFrozen() ->
        Optional.of(estimate(Optional.of(Duration.ZERO), locks.queue(lock.name()), new HashMap<>()));
      case LeaseState.Held held when !lock.isFrozen() && !held.isStale() ->
        Optional.of(of(lock.name(), new Decision.Blocked(held.lease(), held.age())));
      case LeaseState.Vacant _,LeaseState.Held _,LeaseState.Unusable _ -> Optional.empty();
    };
  }

  /** The estimate for a run that waits for its lock; empty if it does not, or if its queue cannot be read. */
  public Optional<Estimate> of(Run run, RunHandle handle) {
    if (run.status() != RunStatus.WAITING
        || !(handle.waiting().orElse(null) instanceof RunHandle.WaitingInLine(var lock, var obstacle, var _, int _))) {
      return Optional.empty();
    }
    Map<String, Optional<Duration>> known = new HashMap<>();
    try {
      return Optional.of(estimate(rest(obstacle, known), locks.queue(lock).stream()
          .takeWhile(it -> !it.requestId().equals(run.requestId())).toList(), known));
    } catch (StorageException unknown) {
      return Optional.empty();
    }
  }

  /** @param rest the time until the obstacle is gone; empty if that is not known */
  private Estimate estimate(Optional<Duration> rest, List<WaitingRequest> ahead,
      Map<String, Optional<Duration>> known) {
    return new Estimate(ahead.size() + 1, rest.stream().mapToLong(it -> Math.max(LEAST_SECONDS,
        ahead.stream().flatMap(request -> usual(request.intent(), known).stream())
            .reduce(it.isNegative() ? Duration.ZERO : it, Duration::plus).plusMillis(999).toSeconds()))
        .findFirst());
  }

  /** The time until an obstacle is gone; empty if its usual time has passed. */
  private Optional<Duration> rest(Decision.Obstacle obstacle, Map<String, Optional<Duration>> known) {
    return switch (obstacle) {
      case Decision.Blocked(Lease lease, Age age) -> {
        Duration held = Duration.between(lease.createdAt(), lease.lastHeartbeatAt()).plus(age.sinceHeartbeat());
        yield usual(lease.holder().intent(), known).map(usual -> usual.minus(held))
            .or(() -> Optional.of(guess(Duration.ofSeconds(lease.ttl().seconds() / 3))))
            .filter(rest -> !rest.plus(ROUNDING).isNegative());
      }
      case Decision.Frozen(String _, String _, Instant _, Instant until) ->
        Optional.of(guess(Duration.between(time.now(), until)));
    };
  }

  private static Duration guess(Duration rest) {
    return rest.compareTo(LONGEST_GUESS) > 0 ? LONGEST_GUESS : rest;
  }

  private Optional<Duration> usual(@Nullable String intent, Map<String, Optional<Duration>> known) {
    return intent == null ? Optional.empty() : known.computeIfAbsent(intent, this::usual);
  }

  private Optional<Duration> usual(String intent) {
    try {
      return runs.usualDuration(intent);
    } catch (StorageException unknown) {
      return Optional.empty();
    }
  }
}
