package fleet.tower.lock;

import java.time.Duration;
import java.util.List;
import java.util.function.Predicate;
import java.util.function.Supplier;

import fleet.tower.lease.FencingToken;
import fleet.tower.lease.Lease;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.Owner;
import fleet.tower.platform.StorageException;

/**
 * The store of locks. Each call is atomic, also against calls from other processes, compares the owner in the same
 * atomic step, and uses the store's own clock. Every call may throw {@link StorageException}; then it is unknown
 * whether anything has changed.
 */
public interface LockStore extends FreezeStore, AutoCloseable {

  /** Decides by the lease rules and the name's freeze. A granted lease is durable before the call returns. */
  AcquireOutcome acquire(AcquireRequest request);

  /** Renews the owner's lease; {@link FencingToken#NONE} matches any grant. */
  RenewOutcome renew(LeaseName name, Owner by, FencingToken token);

  /**
   * Renews a lease for a renewer, which has time until the next heartbeat, so a store may batch renewals. The call
   * gives up before that time, however slow the storage is.
   */
  default RenewOutcome beat(Lease lease) {
    return renew(lease.name(), lease.owner(), lease.token());
  }

  /** Removes the owner's lease durably, and no other one. */
  ReleaseOutcome release(LeaseName name, Owner by, FencingToken token);

  /** Removes the lock of a name, whoever holds it, even if it is unreadable. */
  default ForceReleaseOutcome forceRelease(LeaseName name) {
    return forceRelease(name, _ -> false);
  }

  /**
   * Removes the lock of a name, unless it is to be left to its holder; an unreadable one is removed.
   *
   * @param spares whether to leave a lease to its holder; tested on the lease that would be removed, in the same atomic
   *     step, perhaps several times
   */
  ForceReleaseOutcome forceRelease(LeaseName name, Predicate<Lease> spares);

  /** The view of one name; changes nothing. */
  LockView view(LeaseName name);

  /** The views of all held or frozen names, in the order of the names; changes nothing. */
  default List<LockView> list() {
    return list("", Integer.MAX_VALUE);
  }

  /** The first of those whose names come after a text. */
  List<LockView> list(String after, int limit);

  /**
   * Some of the names that {@link #forget} would forget; changes nothing. A store that keeps all names has none.
   *
   * @param least how long they were not used, at least
   */
  default List<LeaseName> unused(Duration least, int limit) {
    return List.of();
  }

  /**
   * Forgets a name, except that its next token is greater than every token it had. Returns false if the name is held or
   * frozen, or was used more recently.
   *
   * @param least how long it was not used, at least
   */
  default boolean forget(LeaseName name, Duration least) {
    return false;
  }

  /**
   * Runs work that counts locks before it acquires one, while no other such work runs in any process.
   *
   * @throws StorageException also after the work, if other work may have run at the same time
   */
  <T> T alone(Supplier<T> work);

  /** The path of the lock of a name, for people. */
  String pathOf(LeaseName name);

  /** Releases the resources of the store; held locks stay held. */
  @Override
  void close();
}
