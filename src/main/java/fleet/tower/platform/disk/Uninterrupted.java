package fleet.tower.platform.disk;

import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;

import org.jspecify.annotations.Nullable;

/**
 * Work on file channels that an interrupt must not spoil. An interrupt closes a channel under the hands of its user; so the
 * work has to be such that it can be done again from its beginning.
 */
public final class Uninterrupted {
  private Uninterrupted() {}

  /** What to do. */
  public interface Work<T extends @Nullable Object> {
    T run() throws IOException;
  }

  /** Does it until no interrupt got in its way, and leaves the interrupt for the caller to see. */
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
