package fleet.tower.run.output;

import java.time.Instant;
import java.util.List;
import java.util.Map;

import fleet.tower.lease.RequestId;
import fleet.tower.run.OutputStore;
import fleet.tower.run.Run;
import fleet.tower.run.RunOutputs;
import fleet.tower.run.RunStatus;
import fleet.tower.run.RunStore;
import fleet.tower.run.StepLogs;
import fleet.tower.run.StepRecord;

/**
 * The output of ended runs that a process of this host did not copy to the database before it died, and that of earlier
 * versions, which copied none. Only runs whose stored output is shorter than their logs are examined; for the others,
 * one query covers hundreds of runs.
 */
final class OutputCatchUp {
  private static final int BATCH = 500;

  private final RunOutputs outputs;
  private final StepLogs own;
  private final OutputStore copies;
  private final RunStore runs;

  OutputCatchUp(RunOutputs outputs, StepLogs own, OutputStore copies, RunStore runs) {
    this.outputs = outputs;
    this.own = own;
    this.copies = copies;
    this.runs = runs;
  }

  /**
   * Copies it; returns the number of runs that were completed.
   *
   * @param pace is called after each chunk
   */
  int copy(Runnable pace) {
    List<RequestId> ids = outputs.untouchedSince(Instant.MAX);
    int completed = 0;
    for (int from = 0; from < ids.size(); from += BATCH) {
      List<RequestId> batch = ids.subList(from, Math.min(ids.size(), from + BATCH));
      Map<RequestId, Map<String, Long>> stored = copies.sizes(batch);
      for (RequestId id : batch) {
        Map<String, Long> sizes = stored.getOrDefault(id, Map.of());
        if (outputs.size(id) > sizes.values().stream().mapToLong(Long::longValue).sum()) {
          completed += copy(id, sizes, pace) ? 1 : 0;
        }
      }
    }
    return completed;
  }

  private boolean copy(RequestId id, Map<String, Long> stored, Runnable pace) {
    Run run = runs.find(id).filter(it -> it.status().isFinished()).orElse(null);
    if (run == null) {
      return false;
    }
    for (StepRecord step : run.begun()) {
      copy(id, step.logName(), stored.getOrDefault(step.logName(), 0L), pace);
    }
    if (run.status() == RunStatus.INTERRUPTED) {
      recordSizes(run);
    }
    return true;
  }

  private void copy(RequestId id, String log, long from, Runnable pace) {
    StepLogs.Output part = own.read(id, log, from, OutputStore.CHUNK_BYTES);
    while (part.bytes().length > 0) {
      copies.append(List.of(new OutputStore.Chunk(id, log, part.next() - part.bytes().length, part.bytes())));
      pace.run();
      part = own.read(id, log, part.next(), OutputStore.CHUNK_BYTES);
    }
  }

  /**
   * The record of an interrupted step lacks the size of its output, without which readers must assume that some is
   * lost.
   */
  private void recordSizes(Run run) {
    try {
      runs.save(run.withProgress(progress -> progress.withEach(step -> sized(run, step))), false);
    } catch (IllegalStateException removedMeanwhile) {
      // The output is removed with the run.
    }
  }

  private StepRecord sized(Run run, StepRecord step) {
    Long known = step.outputSize();
    return step.hasBegun() && known == null ? step.withOutputSize(own.size(run.requestId(), step.logName())) : step;
  }
}
