package fleet.tower.lease;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** The interface through which a request came in. */
public enum Door {
  HTTP, CLI, GUARD, RUN, MCP, SCRIPT, CONSOLE, SCHEDULE;

  /** The door with a name as written by {@link #toString}. */
  public static Optional<Door> of(String name) {
    return Arrays.stream(values()).filter(door -> door.toString().equals(name)).findFirst();
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
