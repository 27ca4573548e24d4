package fleet.tower.service.mcp.subscription;

import java.time.Duration;
import java.util.function.Supplier;

import fleet.tower.platform.time.Scheduler;
import fleet.tower.platform.time.WakeUp;

/** A state that any process may change without a signal, such as a lock or the intents. */
final class PolledState implements Watched {
  private static final Duration BETWEEN_LOOKS = Duration.ofSeconds(1);

  private final Supplier<String> state;
  private final Notification notification;
  private final Scheduler scheduler;
  private final WakeUp wakeUp = new WakeUp();

  PolledState(Supplier<String> state, Notification notification, Scheduler scheduler) {
    this.state = state;
    this.notification = notification;
    this.scheduler = scheduler;
  }

  @Override
  public String state() {
    return state.get();
  }

  @Override
  public Notification notification() {
    return notification;
  }

  @Override
  public void await() {
    Scheduler.Pending look = scheduler.after(BETWEEN_LOOKS, wakeUp::signal);
    wakeUp.await();
    look.cancel();
  }

  @Override
  public void wake() {
    wakeUp.signal();
  }

  @Override
  public boolean isOver() {
    return false;
  }
}
