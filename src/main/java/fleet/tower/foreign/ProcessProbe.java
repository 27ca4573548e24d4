package fleet.tower.foreign;

import java.util.Optional;
import java.util.OptionalLong;

/** What this machine knows about its processes. */
public interface ProcessProbe {

  /** This machine's name; empty if unknown. */
  Optional<String> hostname();

  /** Whether a process of this machine is alive. */
  Life life(long pid);

  /** This boot and pid namespace; empty if the system does not report them. */
  Optional<Realm> realm();

  /** The start time of a process, in clock ticks since boot; empty if it is gone or not visible. */
  OptionalLong startTicks(long pid);

  /** What is known about the life of a process. */
  enum Life {
    ALIVE,
    /** It has exited, but its parent has not waited for it yet. */
    ENDED,
    /** No process has that number: the system returned ESRCH. */
    GONE,
    /** The system did not answer: EPERM or another error. */
    UNKNOWN
  }

  /** A boot of a machine and one of its pid namespaces. */
  record Realm(String bootId, String pidNamespace) {}
}
