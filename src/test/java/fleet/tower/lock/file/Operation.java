package fleet.tower.lock.file;

import org.jspecify.annotations.Nullable;

import fleet.tower.lease.FencingToken;
import fleet.tower.lease.Owner;

/** A call of the store in progress, with what the checker must know about it. */
final class Operation {
  private final Kind kind;
  private final int process;
  private final int name;
  private final Claim claim;
  private final boolean force;
  private boolean faulted;
  private boolean withoutTurn;
  private long earliestWallSecond = Long.MAX_VALUE;
  private long latestWallSecond = Long.MIN_VALUE;
  private long lastNanos;
  private SimulatedDisk.@Nullable Inode seen;
  private boolean lookedJustNow;
  private SimulatedDisk.@Nullable Inode installed;
  private SimulatedDisk.@Nullable Inode replaced;
  private SimulatedDisk.@Nullable Inode given;
  private SimulatedDisk.@Nullable Inode displaced;
  private SimulatedDisk.@Nullable Inode installedFreeze;
  private long freezeChanges;
  private long haltedSince = -1;

  Operation(Kind kind, int process, int name, Claim claim, boolean force) {
    this.kind = kind;
    this.process = process;
    this.name = name;
    this.claim = claim;
    this.force = force;
  }

  /** The methods of the store. */
  enum Kind {
    ACQUIRE, RENEW, RELEASE, FORCE_RELEASE, FREEZE, UNFREEZE, LOOK, LIST, FORGET, RESTORE
  }

  /**
   * The owner of a call, and the grant it refers to.
   *
   * @param mayKeep whether an acquisition may keep an existing lock
   */
  record Claim(Owner owner, FencingToken token, boolean mayKeep) {
    boolean isOf(@Nullable LockText lock) {
      return lock != null && owns(lock)
          && (token.isNone() || token.value() == lock.token());
    }

    /** Whether any grant of a lock is of this owner. */
    boolean owns(LockText lock) {
      return lock.request().equals(owner.requestId().value()) && lock.actor().equals(owner.actor())
          && lock.isOfRun() == (owner.kind() == Owner.Kind.RUN);
    }

    /** Whether an acquisition keeps the existing holder's lock. */
    boolean keeps(@Nullable LockText lock) {
      return mayKeep && isOf(lock);
    }
  }

  Kind kind() {
    return kind;
  }

  int process() {
    return process;
  }

  int name() {
    return name;
  }

  Claim claim() {
    return claim;
  }

  boolean isForced() {
    return force;
  }

  /** The disk failed in it. */
  void fault() {
    faulted = true;
  }

  boolean isFaulted() {
    return faulted;
  }

  /** It waited too long for the guard. */
  void giveUp() {
    withoutTurn = true;
  }

  boolean isWithoutTurn() {
    return withoutTurn;
  }

  void readWall(long second) {
    earliestWallSecond = Math.min(earliestWallSecond, second);
    latestWallSecond = Math.max(latestWallSecond, second);
  }

  long earliestWallSecond() {
    return earliestWallSecond;
  }

  long latestWallSecond() {
    return latestWallSecond;
  }

  void readNanos(long nanos) {
    lastNanos = nanos;
  }

  long lastNanos() {
    return lastNanos;
  }

  /** Its next call of the file system begins. */
  void call() {
    lookedJustNow = false;
  }

  /** It has read the lock of its name. */
  void saw(SimulatedDisk.@Nullable Inode lock) {
    seen = lock;
    lookedJustNow = true;
  }

  SimulatedDisk.@Nullable Inode seen() {
    return seen;
  }

  /** Whether its last read of the lock immediately precedes the current call. */
  boolean lookedJustNow() {
    return lookedJustNow;
  }

  /** It has written a lock under the name, in place of another or of none. */
  void install(SimulatedDisk.Inode lock, SimulatedDisk.@Nullable Inode inPlaceOf) {
    installed = lock;
    replaced = inPlaceOf;
  }

  /** It has put a lock in place while everything was halted; {@code changes} identifies that halt. */
  void installUnderHalt(long changes) {
    haltedSince = changes;
  }

  /** Whether it has put a lock in place under the halt that was placed with that change. */
  boolean isInstalledUnderHalt(long changes) {
    return haltedSince == changes;
  }

  SimulatedDisk.@Nullable Inode installed() {
    return installed;
  }

  /** It has given the name to a file, in exchange. */
  void give(SimulatedDisk.Inode lock) {
    given = lock;
  }

  SimulatedDisk.@Nullable Inode given() {
    return given;
  }

  /** It has taken the name from a lock that it did not judge, and must put it back; null if it has done so. */
  void displace(SimulatedDisk.@Nullable Inode lock) {
    displaced = lock;
  }

  SimulatedDisk.@Nullable Inode displaced() {
    return displaced;
  }

  /** It has put a freeze on the name. */
  void installFreeze(SimulatedDisk.Inode freeze, long changes) {
    installedFreeze = freeze;
    freezeChanges = changes;
  }

  /** How often the freeze's path had changed at that time. */
  long freezeChanges() {
    return freezeChanges;
  }

  SimulatedDisk.@Nullable Inode installedFreeze() {
    return installedFreeze;
  }

  SimulatedDisk.@Nullable Inode replaced() {
    return replaced;
  }

  @Override
  public String toString() {
    return kind + " name " + name + " " + claim.owner().requestId() + " of " + claim.owner().actor() + "/"
        + claim.token()
        + (claim.owner().kind() == Owner.Kind.RUN ? " for a run" : "")
        + (claim.mayKeep() ? "" : " anew") + (force ? " by force" : "");
  }
}
