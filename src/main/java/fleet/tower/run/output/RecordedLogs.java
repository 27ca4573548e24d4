package fleet.tower.run.output;

import java.util.Optional;

import org.jspecify.annotations.Nullable;

import fleet.tower.lease.RequestId;
import fleet.tower.run.OutputStore;
import fleet.tower.run.Run;
import fleet.tower.run.RunStatus;
import fleet.tower.run.StepLogs;
import fleet.tower.run.StepLogs.MissingOutput;
import fleet.tower.run.StepRecord;

/**
 * The logs of this host, and the copies of those that it does not have: of other hosts' runs, and of its own runs whose
 * files were removed with its disk.
 *
 * @param copies null if no other host shares the database
 */
record RecordedLogs(StepLogs own, @Nullable OutputStore copies, String hostId) implements StepLogs {

  @Override
  public Output read(RequestId requestId, String logName, long from, int maxBytes) {
    return source(requestId, logName).read(requestId, logName, from, maxBytes);
  }

  @Override
  public long size(RequestId requestId, String logName) {
    long size = own.size(requestId, logName);
    return size == 0 && copies != null ? copies.size(requestId, logName) : size;
  }

  /** A log is created with its first byte. */
  private StepLogs source(RequestId requestId, String logName) {
    return copies == null || own.size(requestId, logName) > 0 ? own : copies;
  }

  /**
   * Compares the stored size with the recorded one. A step that was interrupted on this host and left nothing is
   * believed to have printed nothing; on another host that is unknown.
   */
  @Override
  public Optional<MissingOutput> missing(Run run, StepRecord step) {
    if (!run.status().isFinished() || !step.hasBegun() || step.isSilent()
        || own.size(run.requestId(), step.logName()) > 0) {
      return Optional.empty();
    }
    Long printed = step.outputSize();
    String host = run.hostId() == null ? hostId : run.hostId();
    long stored = copies == null ? 0 : copies.size(run.requestId(), step.logName());
    boolean isMissing = printed != null ? stored < printed : stored > 0 || !host.equals(hostId);
    return isMissing
        ? Optional.of(new MissingOutput(host, stored, run.status() == RunStatus.INTERRUPTED))
        : Optional.empty();
  }
}
