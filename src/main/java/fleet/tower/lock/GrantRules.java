package fleet.tower.lock;

import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

import fleet.tower.lease.Decision;

/** The rules of a home on what may begin when, as far as locks need them. */
public interface GrantRules {
  /** No rules. */
  GrantRules NONE = new GrantRules() {
    @Override
    public Optional<Decision.Barred> refusal(Halt.Subject subject) {
      return Optional.empty();
    }

    @Override
    public List<HoldLimit> limits(Halt.Subject subject) {
      return List.of();
    }

    @Override
    public void observe(AcquireRequest request, Supplier<List<LockView>> held) {}
  };

  /** Why something must not begin now; empty if it may. */
  Optional<Decision.Barred> refusal(Halt.Subject subject);

  /** How many locks like a new one may be held at the same time. */
  List<HoldLimit> limits(Halt.Subject subject);

  /**
   * Records the rules that are only observed, and that would refuse a new request now.
   *
   * @param held the locks that are held
   */
  void observe(AcquireRequest request, Supplier<List<LockView>> held);
}
