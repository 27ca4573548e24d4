package fleet.tower.lock;

import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

import fleet.tower.lease.Decision;

/** Rules of which the only one is a limit of locks. */
public record LimitRules(HoldLimit limit) implements GrantRules {
  @Override
  public Optional<Decision.Barred> refusal(Halt.Subject subject) {
    return Optional.empty();
  }

  @Override
  public List<HoldLimit> limits(Halt.Subject subject) {
    return limit.scope().covers(subject) ? List.of(limit) : List.of();
  }

  @Override
  public void observe(AcquireRequest request, Supplier<List<LockView>> held) {}
}
