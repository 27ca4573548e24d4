package fleet.tower.run.submit;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import fleet.tower.foreign.ForeignLockState;
import fleet.tower.foreign.ForeignLocks;
import fleet.tower.foreign.ForeignName;
import fleet.tower.foreign.ForeignTerms;
import fleet.tower.intent.Intent;
import fleet.tower.lease.LeaseName;
import fleet.tower.lock.LockView;
import fleet.tower.lock.Locks;
import fleet.tower.run.Observation;
import fleet.tower.run.Run;
import fleet.tower.run.execute.PreparedRun;

/**
 * What a request would do, and the state of its locks.
 *
 * @param seen what the probe of the intent sees; null if it has none
 * @param warnings those of the intent, and why no live host would execute the run
 */
public record Plan(PreparedRun prepared, PlanDocument document, @Nullable Observation seen, @Nullable LockView lock,
    List<Foreign> foreign, List<String> warnings) {
  static Plan of(PreparedRun prepared, PlanDocument document, @Nullable Observation seen, Locks locks,
      ForeignLocks foreign, EligibleHosts hosts) {
    return new Plan(prepared, document, seen, lockView(prepared, locks), foreign(prepared.foreign(), foreign),
        warnings(prepared.intent(), hosts));
  }

  private static List<String> warnings(Intent intent, EligibleHosts hosts) {
    Stream<String> absence = hosts.missingHere(intent.runsOn()).isEmpty()
        ? Stream.empty()
        : hosts.absence(intent.name(), new Run.Declaration(intent.digest(), intent.runsOn())).stream();
    return Stream.concat(intent.warnings().stream(), absence).toList();
  }

  /** An intent that only observes takes no lock, but its plan shows the state of the lock that it names. */
  private static @Nullable LockView lockView(PreparedRun prepared, Locks locks) {
    if (prepared.lock() != null) {
      return locks.view(prepared.lock());
    }
    return Optional.ofNullable(prepared.intent().controls().lock())
        .map(template -> template.resolve(prepared.facts(null))).filter(LeaseName::isValid)
        .map(name -> locks.view(new LeaseName(name))).orElse(null);
  }

  /** A foreign lock of the intent, how the intent uses it, and its state. */
  public record Foreign(String use, ForeignName name, ForeignLockState state) {}

  private static List<Foreign> foreign(ForeignTerms terms, ForeignLocks foreign) {
    return Stream.concat(
        terms.respect().stream().map(name -> new Foreign("respect", name, foreign.state(name))),
        terms.exclusive().stream().map(name -> new Foreign("exclusive", name, foreign.state(name)))).toList();
  }

  /** The state of the lock, in one word. */
  public String state() {
    return lock == null ? "none" : lock.condition();
  }
}
