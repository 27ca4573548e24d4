package fleet.tower.lock.file;

import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

import fleet.tower.lease.Lease;

/**
 * The promises about one name: which processes may believe that they hold it, which tokens were issued, what must
 * survive.
 */
final class Ledger {
  private final String file;
  private final List<Belief> beliefs = new ArrayList<>();
  private final FreezePromise freeze;
  private long highestToken;
  private String highestRequest = "";
  private long changes;
  private long foreignChanges;
  private SimulatedDisk.@Nullable Inode durable;
  private @Nullable LockText standing;
  private @Nullable LockText released;
  private SimulatedDisk.@Nullable Inode removed;
  private final List<LockText> gone = new ArrayList<>();
  private final List<LockText> removedByHand = new ArrayList<>();

  Ledger(String file) {
    this.file = file;
    this.freeze = new FreezePromise("." + file.replace(".lock", ".freeze"));
  }

  /** A process was told that it holds the name until then. */
  record Belief(Object believer, String request, long token, long deadlineNanos) {}

  String file() {
    return file;
  }

  /** The freeze of the name. */
  FreezePromise freeze() {
    return freeze;
  }

  /** Replaces a process' belief. */
  void believe(Belief belief) {
    doubt(belief.believer());
    beliefs.add(belief);
  }

  /** A process gave up its belief, or ended. */
  void doubt(Object believer) {
    beliefs.removeIf(belief -> belief.believer().equals(believer));
  }

  /** An operator removed the lock: its holder learns of it at its next read, not before. */
  void revoke(@Nullable LockText lock) {
    if (lock == null) {
      return;
    }
    beliefs.removeIf(belief -> belief.request().equals(lock.request()) && belief.token() == lock.token());
  }

  void revokeAll() {
    beliefs.clear();
  }

  /** The other processes that may believe that they hold it. */
  @Nullable
  Belief rivalOf(Object believer, long nowNanos) {
    for (Belief belief : beliefs) {
      if (!belief.believer().equals(believer) && nowNanos - belief.deadlineNanos() <= 0) {
        return belief;
      }
    }
    return null;
  }

  long highestToken() {
    return highestToken;
  }

  boolean wasGivenToAnother(long token, String request) {
    return token < highestToken || (token == highestToken && !request.equals(highestRequest));
  }

  void gave(long token, String request) {
    if (token > highestToken) {
      highestToken = token;
      highestRequest = request;
    }
  }

  /** The path is about to change. */
  void changed(boolean byForeigner, @Nullable LockText now) {
    changes++;
    foreignChanges += byForeigner ? 1 : 0;
    if (standing != null && (now == null || !standing.isSameHold(now))) {
      standing = null;
    }
    if (byForeigner || standing == null) {
      durable = null;
    }
  }

  long changes() {
    return changes;
  }

  long foreignChanges() {
    return foreignChanges;
  }

  /** A grant was acknowledged: it survives a power loss, also with later heartbeats. */
  void acknowledge(SimulatedDisk.Inode lock) {
    durable = lock;
    standing = lock.text();
  }

  /** A removal was acknowledged: this lock does not come back after a power failure. */
  void acknowledgeFree(SimulatedDisk.@Nullable Inode lock) {
    released = lock == null ? null : lock.text();
    removed = lock;
  }

  /** Another program removed a lock, and the removal is on the disk: the lock never comes back. */
  void gone(LockText lock) {
    gone.add(lock);
  }

  /**
   * A lock that was just removed has its name until it is exchanged for the one that replaced it. If the process is
   * killed or the power fails in between, it stays.
   */
  void isBackForAMoment(@Nullable LockText lock) {
    gone.removeIf(removed -> lock != null && removed.isSameHold(lock));
    removedByHand.removeIf(removed -> lock != null && removed.isSameHold(lock));
  }

  /** An operator removed the lock, at any moment. */
  void removedByHand(@Nullable LockText lock) {
    if (lock != null) {
      removedByHand.add(lock);
    }
  }

  /** Whether an operator has removed this grant on this boot. */
  boolean isRemovedByHand(Lease lease) {
    return removedByHand.stream().anyMatch(removed -> removed.request().equals(lease.requestId().value())
        && removed.token() == lease.token().value());
  }

  /** A power cut has torn the file, which counts as the last lock of the Tower. */
  void torn() {
    gone.clear();
  }

  /** Whether a lock is one that another program has removed. */
  boolean isGone(LockText lock) {
    return gone.stream().anyMatch(lock::isSameHold);
  }

  /** The promise that a power failure broke, or null. */
  @Nullable
  String brokenBy(SimulatedDisk.@Nullable Inode left) {
    LockText text = left == null ? null : left.text();
    if (released != null && text != null && text.isSameHold(released)) {
      return "a lock that was released is back: " + text;
    }
    if (text != null && isGone(text)) {
      return "a lock that another program removed is back: " + text;
    }
    if (left != null && left == removed) {
      return "a file that was removed is back";
    }
    if (standing != null && left == null) {
      return "an acknowledged lock is gone: " + standing;
    }
    if (standing != null && durable != null && (text == null || !text.isSameHold(standing))) {
      return "an acknowledged lock is damaged: " + standing + ", now " + text;
    }
    return null;
  }

  /** All believers are dead, and the current state is on the disk. */
  void reboot() {
    revokeAll();
    standing = null;
    durable = null;
    released = null;
    removed = null;
    removedByHand.clear();
    changes++;
  }
}
