package fleet.tower.run.submit;

import java.util.List;
import java.util.Optional;

import fleet.tower.intent.Catalogue;
import fleet.tower.run.Run;

/**
 * The hosts that may execute a run: they have the labels that it requires, and the intent that it was checked against.
 */
public interface EligibleHosts {

  /** A single host without labels, which may execute every run of an intent that requires none. */
  EligibleHosts SINGLE = new EligibleHosts() {
    @Override
    public List<String> missingHere(List<String> runsOn) {
      return runsOn;
    }

    @Override
    public Optional<String> absence(String intent, Run.Declaration declaration) {
      return Optional.empty();
    }

    @Override
    public boolean isAbandoned(String digest) {
      return true;
    }
  };

  /**
   * The intents of this host as its queue sees them: its frequent reads must not make the view of callers count as
   * fresh, because callers would then miss a change made a moment before.
   *
   * @param callers the view of callers
   */
  default Catalogue seenByQueue(Catalogue callers) {
    return callers;
  }

  /** The labels of {@code runsOn} that this host does not have. */
  List<String> missingHere(List<String> runsOn);

  /** Why no live host takes a queued run; empty if one does, or if that is not known. */
  Optional<String> absence(String intent, Run.Declaration declaration);

  /**
   * Whether no live host has had an intent with a digest, which this host does not have, for as long as a silent host
   * counts as alive.
   */
  boolean isAbandoned(String digest);
}
