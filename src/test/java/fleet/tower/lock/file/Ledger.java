package fleet.tower.lock.file;

import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

/** What has been promised about one name: who may believe to hold it, which tokens were given out, what must survive. */
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

  Ledger(String file) {
    this.file = file;
    this.freeze = new FreezePromise("." + file.replace(".lock", ".freeze"));
  }

  /** Somebody was told that they hold the name until then. */
  record Belief(Object believer, String request, long token, long deadlineNanos) {}

  String file() {
    return file;
  }

  /** What keeps new holders of the name away. */
  FreezePromise freeze() {
    return freeze;
  }

  /** Somebody's belief, in place of an older one of theirs. */
  void believe(Belief belief) {
    doubt(belief.believer());
    beliefs.add(belief);
  }

  /** Somebody stopped to believe, or ceased to be. */
  void doubt(Object believer) {
    beliefs.removeIf(belief -> belief.believer().equals(believer));
  }

  /** An operator took the lock away: its holder learns of it at its next look, not before. */
  void revoke(LockText lock) {
    beliefs.removeIf(belief -> belief.request().equals(lock.request()) && belief.token() == lock.token());
  }

  void revokeAll() {
    beliefs.clear();
  }

  /** Who else than {@code believer} may believe it now. */
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
    if (standing != null && (now == null || !standing.isSameTenure(now))) {
      standing = null;
    }
    durable = null;
  }

  long changes() {
    return changes;
  }

  long foreignChanges() {
    return foreignChanges;
  }

  /** A grant was acknowledged: this very file survives a power loss. */
  void acknowledge(SimulatedDisk.Inode lock) {
    durable = lock;
    standing = lock.text();
  }

  /** A removal was acknowledged: this lock does not come back over a power loss. */
  void acknowledgeFree(@Nullable LockText lock) {
    released = lock;
  }

  /** What a power loss has broken of all this, or null. */
  @Nullable
  String brokenBy(SimulatedDisk.@Nullable Inode left) {
    LockText text = left == null ? null : left.text();
    if (released != null && text != null && text.isSameTenure(released)) {
      return "a lock that was released is back: " + text;
    }
    if (standing != null && left == null) {
      return "an acknowledged lock is gone: " + standing;
    }
    if (standing != null && durable != null && (text == null || !text.isSameTenure(standing))) {
      return "an acknowledged lock is damaged: " + standing + ", now " + text;
    }
    return null;
  }

  /** Whoever believed is dead, and what is there now is on the disk. */
  void reboot() {
    revokeAll();
    standing = null;
    durable = null;
    released = null;
    changes++;
  }
}
