package fleet.tower.intent;

import java.time.Instant;
import java.util.Optional;

/** When an intent runs by itself; all times are UTC. */
public interface Schedule {

  /** The first time behind {@code moment}; nothing when there is none any more. */
  Optional<Instant> after(Instant moment);

  /** As its author wrote it. */
  String text();
}
