package fleet.tower.run.members;

import static java.util.Objects.requireNonNull;

import java.util.Locale;

/**
 * A process that executes runs.
 *
 * @param id its id, which no other process ever had or will have
 * @param hostId the name of its host, as locks have it
 * @param machine what tells its machine from others, also where both have the same name
 * @param home the directory that everything is below there
 */
public record Member(String id, String hostId, String machine, String home, long pid, Kind kind, String version) {
  public Member {
    requireNonNull(id);
    requireNonNull(hostId);
    requireNonNull(machine);
    requireNonNull(home);
    requireNonNull(kind);
    requireNonNull(version);
  }

  /** What it is for. */
  public enum Kind {
    /** It executes what others ask for, for as long as it lives. */
    SERVICE,
    /** It executes one run that was asked for on a command line. */
    COMMAND;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** Whether another process works on the same files. */
  boolean isBeside(Member other) {
    return machine.equals(other.machine) && home.equals(other.home);
  }
}
