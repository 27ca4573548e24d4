package fleet.tower.run.submit;

import java.util.Optional;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import fleet.tower.audit.AuditEvent;
import fleet.tower.audit.Origin;
import fleet.tower.intent.Catalogue;
import fleet.tower.intent.Controls;
import fleet.tower.intent.Intent;
import fleet.tower.lease.Actor;
import fleet.tower.lease.Age;
import fleet.tower.lease.FencingToken;
import fleet.tower.lease.Lease;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.LeaseState;
import fleet.tower.lease.RequestId;
import fleet.tower.lock.LockView;
import fleet.tower.lock.Locks;
import fleet.tower.lock.ReleaseOutcome;
import fleet.tower.run.Observation;
import fleet.tower.run.Probed.Settled;
import fleet.tower.run.Run;
import fleet.tower.run.RunStatus;
import fleet.tower.run.RunStore;
import fleet.tower.run.execute.ExecutorIdentity;
import fleet.tower.run.execute.PreparedRun;
import fleet.tower.run.execute.RunServices;

/**
 * What became of runs whose end nobody saw, by what their probe sees now.
 *
 * <p>{@code applied}: the desired state holds. {@code not_applied}: the state is exactly that before the first step.
 * Everything else is {@code unknown}, and so is everything as long as a process of the run may still act, or if another
 * run has had its lock since. An answer is final; {@code unknown} can be asked again, and does not change by itself.
 */
public final class Settlements {
  private final Catalogue catalogue;
  private final Preparation preparation;
  private final RunServices services;
  private final ExecutorIdentity executor;
  private final AbandonedRuns abandoned;

  Settlements(Catalogue catalogue, Preparation preparation, RunServices services, ExecutorIdentity executor,
      AbandonedRuns abandoned) {
    this.catalogue = catalogue;
    this.preparation = preparation;
    this.services = services;
    this.executor = executor;
    this.abandoned = abandoned;
  }

  /** The outcome of the question. */
  public sealed interface Outcome {}

  /**
   * An answer.
   *
   * @param seen what the probe saw now; null if it did not look
   * @param why it is unknown; null if it is not
   * @param isReleased whether the run's lock was released with it
   */
  public record Answered(Run run, Settled settled, @Nullable Observation seen, @Nullable String why,
      boolean isReleased) implements Outcome {}

  /** The end of the run is known, or still to come. */
  public record EndKnown(Run run) implements Outcome {}

  /** The intent of the run has no probe. */
  public record NoProbe(Run run) implements Outcome {}

  /** There is no such run. */
  public record NotFound() implements Outcome {}

  /** What the probe sees now, and what it tells. */
  private record Judgement(Settled settled, @Nullable Observation seen, @Nullable String why) {
    static Judgement unknown(String why) {
      return new Judgement(Settled.UNKNOWN, null, why);
    }
  }

  /** Settles a run, and releases its lock if that is answered and the run still has it. */
  public Outcome settle(RequestId id, Actor by) {
    Optional<Run> found = services.store().find(id).map(abandoned::settled);
    if (found.isEmpty()) {
      return new NotFound();
    }
    Run run = found.get();
    if (!isUnsettled(run)) {
      return new EndKnown(run);
    }
    Settled before = run.probed().settled();
    if (before != null && before != Settled.UNKNOWN) {
      return new Answered(run, before, null, null, isReleased(run, by));
    }
    Intent intent = catalogue.current(run.intent()).orElse(null);
    if (intent == null || intent.probe() == null) {
      return new NoProbe(run);
    }
    Judgement judgement = judge(run, intent);
    Run settled = run.withProbed(it -> it.as(judgement.settled()));
    services.store().save(settled, true);
    String fingerprint = judgement.seen() instanceof Observation.Seen seen ? seen.fingerprint() : null;
    services.audit().append(new AuditEvent.RunSettled(id, services.time().now(), run.intent(),
        run.header().lockName(), judgement.settled().toString(), fingerprint, Origin.of(by)));
    return new Answered(settled, judgement.settled(), judgement.seen(), judgement.why(),
        judgement.settled() != Settled.UNKNOWN && isReleased(run, by));
  }

  /** Settles the run that holds a stale lock, if the intent of a request says so. */
  void settleHolder(PreparedRun prepared, Actor by) {
    if (prepared.lock() == null || prepared.intent().controls().onStale() != Controls.OnStale.SETTLE) {
      return;
    }
    LockView view = services.locks().view(prepared.lock());
    if (view.state() == LeaseState.State.STALE && view.leaseState() instanceof LeaseState.Held(Lease lease, Age _)) {
      settle(lease.requestId(), by);
    }
  }

  private static boolean isUnsettled(Run run) {
    return run.status() == RunStatus.INTERRUPTED || run.status() == RunStatus.LOCK_LOST;
  }

  private Judgement judge(Run run, Intent intent) {
    if (run.hostId() != null && !run.hostId().equals(executor.hostId())) {
      return Judgement.unknown("its steps ran on host " + run.hostId() + ", where their processes may still act; settle"
          + " it there");
    }
    if (!services.processes().haveEnded(run.requestId(), run.header().createdAt())) {
      return Judgement.unknown("a process of its steps may still act on this host; settle it again when it has ended");
    }
    if (run.header().declaration() != null && !run.header().declaration().digest().equals(intent.digest())) {
      return Judgement.unknown("intent " + intent.name() + " has changed since the run, and so may its probe have");
    }
    return preparation.recorded(run, intent).map(prepared -> judge(run, prepared))
        .orElseGet(() -> Judgement.unknown("its probe needs a parameter that is not recorded, because it is secret"));
  }

  private Judgement judge(Run run, PreparedRun prepared) {
    Observation seen = preparation.look(prepared);
    if (hadLaterHolder(run)) {
      return Judgement.unknown("another run has had its lock since, so what its probe sees may be of that");
    }
    String desired = prepared.desired();
    return switch (seen) {
      case null -> throw new IllegalStateException("the intent of run " + run.requestId() + " has no probe");
      case Observation.Unknown(String why) -> new Judgement(Settled.UNKNOWN, seen, why);
      case Observation.Seen _ when desired != null && seen.holds(desired) -> new Judgement(Settled.APPLIED, seen, null);
      case Observation.Seen _ when seen.equals(run.probed().before()) -> new Judgement(Settled.NOT_APPLIED, seen, null);
      case Observation.Seen _ -> new Judgement(Settled.UNKNOWN, seen, reason(run, seen, desired));
    };
  }

  private static String reason(Run run, Observation seen, @Nullable String desired) {
    String before = run.probed().before() instanceof Observation.Seen
        ? "the state has changed since before the run"
        : "it is not known what the state was before the run";
    return desired == null
        ? before + ", and its intent names no desired one"
        : before + ", and is not the desired one: " + seen.differences(desired).stream()
            .map(Observation.Difference::text).collect(Collectors.joining("; "));
  }

  /** Whether the lock was granted to anybody after the run, as far as that is still visible. */
  private boolean hadLaterHolder(Run run) {
    LeaseName name = run.header().lockName();
    if (name == null) {
      return false;
    }
    Run.LockNote lock = run.lock();
    FencingToken token = lock == null ? FencingToken.NONE : lock.token();
    boolean isHeldByLater = services.locks().view(name).leaseState() instanceof LeaseState.Held(Lease held, Age _)
        && !held.requestId().equals(run.requestId()) && held.token().compareTo(token) > 0;
    return isHeldByLater
        || services.store().list(new RunStore.Query(null, null, null, name.value(), null, null, 1)).stream()
            .anyMatch(latest -> !latest.requestId().equals(run.requestId()) && latest.lock() != null
                && latest.lock().token().compareTo(token) > 0);
  }

  /** Releases the lock of a run if the run still has it. */
  private boolean isReleased(Run run, Actor by) {
    LeaseName name = run.header().lockName();
    return name != null && services.locks().view(name).leaseState() instanceof LeaseState.Held(Lease lease, Age _)
        && lease.requestId().equals(run.requestId())
        && services.locks().release(by, name, lease.owner(), lease.token(), Locks.Result.ABORTED,
            null) instanceof ReleaseOutcome.Released;
  }
}
