package fleet.tower.run.submit;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import fleet.tower.lease.LeaseName;
import fleet.tower.run.Run;
import fleet.tower.run.RunStatus;
import fleet.tower.run.RunStore;

/**
 * The last run that succeeded under the lock of another run.
 *
 * @param changed the members of its plan that are different in that of the other one
 */
public record LastSuccess(Run run, List<String> changed) {
  public LastSuccess {
    changed = List.copyOf(changed);
  }

  static Optional<LastSuccess> before(Run run, RunStore store) {
    LeaseName lock = run.header().lockName();
    return lock == null
        ? Optional.empty()
        : store.list(new RunStore.Query(null, RunStatus.SUCCEEDED, null, lock.value(), null, null, 1)).stream()
            .findFirst().map(before -> new LastSuccess(before, changed(before.header(), run.header())));
  }

  /** Only a run whose plan was named or approved has that in its record; of others it has what it was checked against. */
  private static List<String> changed(Run.Header before, Run.Header now) {
    PlanDocument planned = PlanDocument.requiredOf(before);
    PlanDocument plan = PlanDocument.requiredOf(now);
    if (planned != null && plan != null) {
      return planned.changes(plan);
    }
    List<String> changed = new ArrayList<>();
    if (!before.intent().equals(now.intent())) {
      changed.add("intent");
    }
    if (!before.subject().version().equals(now.subject().version())) {
      changed.add("version");
    }
    if (!digest(before).equals(digest(now))) {
      changed.add("digest");
    }
    if (!params(before).equals(params(now))) {
      changed.add("params");
    }
    return changed;
  }

  private static String digest(Run.Header header) {
    return header.declaration() == null ? "" : header.declaration().digest();
  }

  private static String params(Run.Header header) {
    return header.params() == null ? "" : header.params().values();
  }
}
