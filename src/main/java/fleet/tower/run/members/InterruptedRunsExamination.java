package fleet.tower.run.members;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

import fleet.tower.platform.Examination;
import fleet.tower.platform.Finding;
import fleet.tower.platform.StorageException;
import fleet.tower.platform.time.TimeSource;
import fleet.tower.run.Run;
import fleet.tower.run.RunStatus;
import fleet.tower.run.RunStore;

/** The examination of runs whose executors died: those of the last day, and those that are not yet marked. */
public final class InterruptedRunsExamination implements Examination {
  private static final Duration RECENT = Duration.ofDays(1);
  private static final int MOST = 20;

  private final Supplier<RunStore> runs;
  private final HolderEvidence.Executors executors;
  private final TimeSource time;

  public InterruptedRunsExamination(Supplier<RunStore> runs, HolderEvidence.Executors executors, TimeSource time) {
    this.runs = runs;
    this.executors = executors;
    this.time = time;
  }

  @Override
  public List<Finding> examine() {
    try {
      return examine(runs.get());
    } catch (StorageException unreadable) {
      // The examination of the database reports it.
      return List.of();
    }
  }

  private List<Finding> examine(RunStore store) {
    List<Run> interrupted = new ArrayList<>();
    store.unfinished().stream()
        .filter(run -> !run.executor().equals(RunStore.QUEUE) && executors.isDead(run.executor()))
        .flatMap(run -> store.find(run.requestId()).stream())
        .filter(run -> !run.isQueued() || !run.begun().isEmpty()).forEach(interrupted::add);
    store.list(RunStore.Query.of(null, RunStatus.INTERRUPTED, MOST)).stream().filter(this::isRecent)
        .forEach(interrupted::add);
    return interrupted.isEmpty()
        ? List.of(Finding.ok("runs", "none interrupted in the last day"))
        : interrupted.stream().map(InterruptedRunsExamination::finding).toList();
  }

  private boolean isRecent(Run run) {
    return run.finishedAt() != null && run.finishedAt().isAfter(time.now().minus(RECENT));
  }

  private static Finding finding(Run run) {
    return Finding.warn("interrupted run", "run " + run.requestId() + " of " + run.intent()
        + " was interrupted when its executor died; nothing was rolled back",
        "see how far it got with `tower runs " + run.requestId() + "`, and complete or undo it");
  }
}
