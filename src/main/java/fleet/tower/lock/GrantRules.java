package fleet.tower.lock;

import java.util.Optional;

import fleet.tower.audit.Origin;
import fleet.tower.lease.Decision;
import fleet.tower.lease.RequestId;

/** The rules of a home on what may begin when, as far as locks need them. */
public interface GrantRules {
  /** No rules. */
  GrantRules NONE = new GrantRules() {
    @Override
    public Optional<Decision.Barred> refusal(Halt.Subject subject) {
      return Optional.empty();
    }

    @Override
    public void observe(RequestId requestId, Halt.Subject subject, Origin origin) {}
  };

  /** Why something must not begin now; empty if it may. */
  Optional<Decision.Barred> refusal(Halt.Subject subject);

  /** Records the rules that are only observed, and that would refuse a new request now. */
  void observe(RequestId requestId, Halt.Subject subject, Origin origin);
}
