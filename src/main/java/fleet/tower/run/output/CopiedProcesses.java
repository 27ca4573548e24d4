package fleet.tower.run.output;

import java.time.Instant;
import java.util.Optional;

import fleet.tower.lease.RequestId;
import fleet.tower.run.Processes;

/** Processes whose output is copied to the database as it grows. */
record CopiedProcesses(Processes own, OutputCopier copier) implements Processes {

  @Override
  public void requireSpace() {
    own.requireSpace();
  }

  @Override
  public Started start(Command command, Watcher watcher) {
    return own.start(command, new CopyingWatcher(watcher, copier.log(command.requestId(), command.logName())));
  }

  @Override
  public Started look(Command command, Watcher watcher) {
    return own.look(command, watcher);
  }

  @Override
  public void note(RequestId requestId, String logName, String text) {
    own.note(requestId, logName, text);
    copier.log(requestId, logName).grow();
  }

  @Override
  public void execute(Runnable work) {
    own.execute(work);
  }

  private record CopyingWatcher(Watcher watcher, OutputCopier.Log log) implements Watcher {
    @Override
    public void printed() {
      watcher.printed();
    }

    @Override
    public void output(byte[] bytes, int offset, int length) {
      watcher.output(bytes, offset, length);
    }

    @Override
    public void logged() {
      log.grow();
      watcher.logged();
    }

    @Override
    public void warned(String what) {
      watcher.warned(what);
    }

    @Override
    public void ended(Exit exit) {
      log.end();
      watcher.ended(exit);
    }
  }

  @Override
  public Output read(RequestId requestId, String logName, long from, int maxBytes) {
    return own.read(requestId, logName, from, maxBytes);
  }

  @Override
  public long size(RequestId requestId, String logName) {
    return own.size(requestId, logName);
  }

  @Override
  public boolean awaitCopy(RequestId requestId) {
    return copier.await(requestId);
  }

  @Override
  public boolean haveEnded(RequestId requestId, Instant requestedAt) {
    return own.haveEnded(requestId, requestedAt);
  }

  @Override
  public boolean haveEnded(RequestId requestId, long sinceTicks) {
    return own.haveEnded(requestId, sinceTicks);
  }

  @Override
  public Optional<Instant> lastTrace(RequestId requestId, String logName) {
    return own.lastTrace(requestId, logName);
  }

  @Override
  public void close() {
    own.close();
    copier.close();
  }
}
