package fleet.tower.platform.disk;

import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;

import org.jspecify.annotations.Nullable;

/**
 * Runs file channel operations that an interrupt must not break. An interrupt closes the channel in use, so the
 * operation must be repeatable from its start.
 */
public final class InterruptShield {
  private InterruptShield() {}

  /** A repeatable operation. */
  public interface Work<T extends @Nullable Object> {
    T run() throws IOException;
  }

  /** Runs the operation until no interrupt breaks it, then restores the interrupt status. */
  public static <T extends @Nullable Object> T call(Work<T> work) throws IOException {
    boolean interrupted = Thread.interrupted();
    try {
      for (;;) {
        try {
          return work.run();
        } catch (ClosedByInterruptException e) {
          interrupted |= Thread.interrupted();
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
