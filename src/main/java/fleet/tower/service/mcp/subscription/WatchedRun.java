package fleet.tower.service.mcp.subscription;

import java.util.function.Function;

import fleet.tower.run.execute.RunHandle;

/** A property of a run, which wakes its watchers. */
final class WatchedRun implements Watched {
  private final RunHandle handle;
  private final Function<RunHandle, String> state;
  private final Function<RunHandle, Notification> notification;
  private long seen;

  WatchedRun(RunHandle handle, Function<RunHandle, String> state, Function<RunHandle, Notification> notification) {
    this.handle = handle;
    this.state = state;
    this.notification = notification;
  }

  @Override
  public String state() {
    seen = handle.version();
    return state.apply(handle);
  }

  @Override
  public Notification notification() {
    return notification.apply(handle);
  }

  @Override
  public void await() {
    handle.awaitChange(seen);
  }

  @Override
  public void wake() {
    handle.wake();
  }

  @Override
  public boolean isOver() {
    return handle.run().status().isFinished();
  }
}
