package fleet.tower.run.members;

import java.util.Locale;

/**
 * A process that executes runs.
 *
 * @param id its id, unique among all processes of all time
 * @param hostId the name of its host, as in locks
 * @param machine the identity of its machine, even if another machine has the same name
 * @param home its home directory
 */
public record Member(String id, String hostId, String machine, String home, long pid, Kind kind, String version) {

  /** The kind of a process. */
  public enum Kind {
    /** A service, which executes the requests of its callers. */
    SERVICE,
    /** A command, which executes a single run. */
    COMMAND;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** Whether another process uses the same files. */
  boolean isBeside(Member other) {
    return machine.equals(other.machine) && home.equals(other.home);
  }
}
