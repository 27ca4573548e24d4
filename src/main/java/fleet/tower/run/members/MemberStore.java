package fleet.tower.run.members;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

/**
 * The store of the processes of a fleet. Each entry is a lease, by the clock of the store. Calls may throw
 * {@link fleet.tower.platform.StorageException}.
 */
public interface MemberStore extends AutoCloseable {

  /**
   * Enters a process, or renews its entry.
   *
   * @param profile what it publishes; null for nothing
   * @param ttl how long it counts as alive
   * @return the live service on another machine with the same host name, if that prevented this service from being
   *     entered
   */
  Optional<Entry> enter(Member member, @Nullable MemberProfile profile, Duration ttl);

  /** Removes a process. */
  void leave(String id);

  /** All processes, ordered by host and time, without those that died a while ago. */
  List<Entry> list();

  /** The entry of a process. */
  Optional<Entry> find(String id);

  @Override
  void close();

  /**
   * The entry of a process.
   *
   * @param seenAt the time of its last renewal
   * @param isAlive whether its ttl has not passed since
   * @param profile what it publishes; null for nothing
   */
  record Entry(Member member, Instant enteredAt, Instant seenAt, boolean isAlive, @Nullable MemberProfile profile) {}
}
