package fleet.tower.lock;

import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

import fleet.tower.lease.Actor;
import fleet.tower.lease.Decision;
import fleet.tower.lease.Lease;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.LeaseState;
import fleet.tower.lock.AcquireRequest.Metadata;

/**
 * A rule on how many locks may be held at the same time, stale ones included.
 *
 * @param rule its name
 * @param scope the locks that it covers
 * @param isTogether whether it counts the locks of all actors together; otherwise each actor may hold as many
 */
public record HoldLimit(String rule, Halt.Scope scope, int most, boolean isTogether) {

  /**
   * The first of some limits that an actor would exceed with a lock.
   *
   * @param held the locks that are held
   */
  public static Optional<Decision.LimitReached> reached(List<HoldLimit> limits, String actor, LeaseName name,
      Supplier<List<LockView>> held) {
    if (limits.isEmpty()) {
      return Optional.empty();
    }
    List<Lease> others = held.get().stream().filter(view -> !view.name().equals(name)).map(LockView::leaseState)
        .filter(LeaseState.Held.class::isInstance).map(state -> ((LeaseState.Held) state).lease()).toList();
    return limits.stream().filter(it -> others.stream().filter(lease -> it.counts(lease, actor)).count() >= it.most())
        .findFirst().map(limit -> new Decision.LimitReached(limit.rule(), limit.most()));
  }

  private boolean counts(Lease lease, String actor) {
    String holder = lease.holder().actor();
    Actor whole = new Actor(holder, HolderProcess.text(lease, Metadata.ON_BEHALF_OF).orElse(null), null);
    Halt.Subject subject = Halt.Subject.of(whole, lease.holder().intent(), lease.name());
    return isTogether ? scope.covers(subject) : holder.equals(actor) && scope.ofAnyActor().covers(subject);
  }
}
