package fleet.tower.lock;

import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

import fleet.tower.platform.StorageException;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.platform.time.Watch;

/**
 * Looks at the halts again and again while there is work that one may stop. Each part of the source has a timer of its own:
 * one that hangs hides no halt of another. What cannot be read stops nothing.
 */
public final class HaltWatch {
  private final List<Watch> parts;

  /** @param receiver gets the halts in force at each look that finds some */
  public HaltWatch(HaltSource source, Duration between, Scheduler scheduler,
      Consumer<HaltSource.InForce> receiver) {
    this.parts = source.parts().stream()
        .map(part -> new Watch(scheduler, between, () -> look(part, receiver), () -> {})).toList();
  }

  /** There is one more piece of work. */
  public void begun() {
    parts.forEach(Watch::begun);
  }

  /** There is one piece of work less. */
  public void ended() {
    parts.forEach(Watch::ended);
  }

  private static void look(HaltSource part, Consumer<HaltSource.InForce> receiver) {
    HaltSource.InForce inForce;
    try {
      inForce = part.inForce();
    } catch (StorageException later) {
      // The next look is soon, and nothing begins meanwhile.
      return;
    }
    if (!inForce.isEmpty()) {
      receiver.accept(inForce);
    }
  }
}
