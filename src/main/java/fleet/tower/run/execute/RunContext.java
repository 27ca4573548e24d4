package fleet.tower.run.execute;

import fleet.tower.audit.Origin;
import fleet.tower.lease.Actor;
import fleet.tower.lease.RequestId;
import fleet.tower.run.Run;

/** The parts that one active run consists of, shared by the classes that execute it. */
record RunContext(PreparedRun prepared, LiveRun live, RunServices services, ExecutorIdentity executor,
    RunProgress progress, Inbox inbox) {

  static RunContext of(PreparedRun prepared, boolean mayWait, RunServices services, ExecutorIdentity executor) {
    RunProgress progress = new RunProgress(services.time(), services.scheduler(), services.renewers().maxInterval());
    Run run = prepared.newRun(mayWait).onHost(executor.hostId());
    return new RunContext(prepared, new LiveRun(run, progress.signal()), services, executor, progress, new Inbox());
  }

  RequestId id() {
    return prepared.header().requestId();
  }

  Actor actor() {
    return prepared.header().actor();
  }

  Origin origin() {
    return executor.origin(prepared.header());
  }

  Run run() {
    return live.run();
  }

  /** Adds a warning to the run. */
  void warn(String warning) {
    live.update(run -> run.withWarning(prepared.secrets().mask(warning)));
  }

  /** Adds a warning to the run, and reports it to the operator of this process at once. */
  void warnAtOnce(String warning) {
    warn(warning);
    log(warning);
  }

  /** Reports to the operator of this process; the service's log recognizes the run by the beginning of the line. */
  void log(String words) {
    services.log().accept("run " + id() + ", " + prepared.secrets().mask(words));
  }
}
