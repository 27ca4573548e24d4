package fleet.tower.run.members;

import java.util.List;
import java.util.function.Supplier;

import fleet.tower.platform.Examination;
import fleet.tower.platform.Finding;
import fleet.tower.platform.StorageException;

/** Checks that the live services of a fleet have the same intents and the same policy. */
public final class AgreementExamination implements Examination {
  private static final String CHECK = "files of hosts";

  private final Supplier<HostDifferences> differences;

  public AgreementExamination(Supplier<HostDifferences> differences) {
    this.differences = differences;
  }

  @Override
  public List<Finding> examine() {
    try {
      List<String> sentences = differences.get().sentences();
      return sentences.isEmpty()
          ? List.of(Finding.ok(CHECK, "the same on all live hosts"))
          : sentences.stream().map(it -> Finding.warn(CHECK, it,
              "copy the same file to these hosts, or require a label with runs_on in an intent")).toList();
    } catch (StorageException unreadable) {
      // The examination of the database reports it.
      return List.of();
    }
  }
}
