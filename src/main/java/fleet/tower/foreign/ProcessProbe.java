package fleet.tower.foreign;

import java.util.Optional;
import java.util.OptionalLong;

/** What this machine can say about processes that are said to run on it. */
public interface ProcessProbe {

  /** The name of this machine; nothing where it does not know it. */
  Optional<String> hostname();

  /** Whether a process of this machine lives. */
  Life life(long pid);

  /** This boot and this world of processes; nothing where the system does not tell. */
  Optional<Realm> realm();

  /** When a process began, in the clock's ticks since the boot; nothing where it is gone or may not be seen. */
  OptionalLong startTicks(long pid);

  /** What is known of the life of a process. */
  enum Life {
    ALIVE,
    /** It has ended, and its parent has not asked yet how. */
    ENDED,
    /** Certainly nobody has that number: the system said ESRCH. */
    GONE,
    /** The system would not say: EPERM, or any other error. */
    UNKNOWN
  }

  /** One boot of one machine, and one world of process numbers on it. */
  record Realm(String bootId, String pidNamespace) {}
}
