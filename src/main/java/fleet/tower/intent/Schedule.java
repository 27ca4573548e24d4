package fleet.tower.intent;

import java.time.Instant;
import java.util.Optional;

/** The times at which an intent runs unattended, in UTC. */
public interface Schedule {

  /** The first time after {@code moment}; empty if there is none. */
  Optional<Instant> after(Instant moment);

  /** The schedule as written in the file. */
  String text();
}
