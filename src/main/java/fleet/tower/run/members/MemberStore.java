package fleet.tower.run.members;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Where the processes of a fleet are written down, each for as long as it says so again in time, by one clock. Calls may throw
 * {@link fleet.tower.platform.StorageException}.
 */
public interface MemberStore extends AutoCloseable {

  /**
   * Writes a process down, or that it still lives.
   *
   * @param ttl for how long it counts as alive
   * @return the living service of another machine that goes by the same host's name, where this is a service too and was not
   *     written down for that reason
   */
  Optional<Entry> enter(Member member, Duration ttl);

  /** Strikes a process out. */
  void leave(String id);

  /** All that are written down, those that died a while ago left out, by host and time. */
  List<Entry> list();

  /** What is written down of a process. */
  Optional<Entry> find(String id);

  @Override
  void close();

  /**
   * A process as it is written down.
   *
   * @param seenAt when it said last that it lives
   * @param isAlive whether that was not too long ago
   */
  record Entry(Member member, Instant enteredAt, Instant seenAt, boolean isAlive) {}
}
