package fleet.tower.lock.file;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/**
 * A directory with the state that every process sees, and the state that would remain if the power failed now.
 *
 * <p>It is the worst file system that keeps names in order: content reaches the disk only when it is synced itself,
 * names only when the directory is. Of the unsynced names of one lock, only the last changes are lost; other changes
 * survive in any part and in any order. A single rename or exchange is atomic.
 */
final class SimulatedDisk {
  private final Map<String, Inode> seen = new HashMap<>();
  private final Map<String, Inode> kept = new HashMap<>();
  private final List<Change> pending = new ArrayList<>();
  private final Map<Long, Object> guards = new HashMap<>();

  /** A file, whatever its names. Its arrays are never written into, so that a reader may keep them. */
  static final class Inode {
    private static final byte[] NOTHING = {};
    private static final int SECTOR_BYTES = 512;

    private byte[] content = NOTHING;
    private byte[] synced = NOTHING;
    private boolean dirty;
    private boolean isLog;
    private int failedSyncs;
    private boolean parsed;
    private @Nullable LockText text;
    private @Nullable Origin origin;

    byte[] content() {
      return content;
    }

    void write(int position, byte[] bytes, int length) {
      byte[] changed = Arrays.copyOf(content, Math.max(content.length, position + length));
      System.arraycopy(bytes, 0, changed, position, length);
      content = changed;
      dirty = true;
      parsed = false;
    }

    void sync() {
      synced = isLog ? concatenated(synced, content) : content;
      dirty = false;
    }

    /** A sync has failed: what it should have written is not on the disk, and no later sync writes it. */
    void failToSync() {
      synced = Arrays.copyOf(synced, content.length);
      failedSyncs++;
    }

    int failedSyncs() {
      return failedSyncs;
    }

    /** What is on the disk, and what was appended since. */
    private static byte[] concatenated(byte[] disk, byte[] appended) {
      byte[] whole = appended.clone();
      System.arraycopy(disk, 0, whole, 0, disk.length);
      return whole;
    }

    /** The parsed content of a lock; null if it is incomplete. */
    @Nullable
    LockText text() {
      if (!parsed) {
        text = LockText.of(content);
        parsed = true;
      }
      return text;
    }

    @Nullable
    Origin origin() {
      return origin;
    }

    void installed(Origin by) {
      origin = by;
    }

    void append(byte[] bytes) {
      write(content.length, bytes, bytes.length);
      isLog = true;
    }

    private boolean isSector() {
      return synced.length == content.length && content.length < SECTOR_BYTES;
    }

    /**
     * Unsynced content is old, gone, torn or new after a power loss. Fewer bytes than a sector, written over as many,
     * are old or new. What was appended may be missing in part, and what was appended before may not.
     */
    private void losePower(SeededRandom dice) {
      parsed = false;
      if (isLog) {
        content = Arrays.copyOf(concatenated(synced, content), dice.oneOf(content.length, content.length,
            synced.length + dice.pick(content.length - synced.length + 1)));
        if (content.length > synced.length && dice.chance(400)) {
          int hole = synced.length + dice.pick(content.length - synced.length);
          Arrays.fill(content, hole, hole + 1 + dice.pick(content.length - hole), (byte) 0);
        }
        sync();
      } else if (dirty && isSector()) {
        content = dice.chance(500) ? synced : content;
        sync();
      } else if (dirty) {
        content = switch (dice.pick(5)) {
          case 0 -> synced;
          case 1 -> NOTHING;
          case 2 -> Arrays.copyOf(content, dice.pick(content.length + 1));
          default -> content;
        };
        sync();
      }
    }
  }

  /** How a lock got its name: in which boot, and the last clock reading before that. */
  record Origin(int boot, long stampNanos, boolean foreign) {}

  /** @param replaced what {@code removed} is the name of then; null if it is none */
  private record Change(@Nullable String removed, @Nullable String added, @Nullable Inode inode,
      @Nullable Inode replaced) {
    Change(@Nullable String removed, @Nullable String added, @Nullable Inode inode) {
      this(removed, added, inode, null);
    }

    /** The lock whose files are changed; null for the journal. */
    @Nullable
    String lock() {
      String name = Objects.requireNonNullElseGet(added, () -> Objects.requireNonNull(removed))
          .replaceFirst("^\\.(tmp-)?", "").replaceFirst("\\..*", "");
      return name.equals("journal") ? null : name;
    }

    void applyTo(Map<String, Inode> entries) {
      if (removed != null && replaced != null) {
        entries.put(removed, replaced);
      } else if (removed != null) {
        entries.remove(removed);
      }
      if (added != null) {
        entries.put(added, Objects.requireNonNull(inode));
      }
    }
  }

  @Nullable
  Inode get(String file) {
    return seen.get(file);
  }

  boolean hasOtherName(String file) {
    Inode inode = seen.get(file);
    return seen.entrySet().stream().anyMatch(entry -> entry.getValue() == inode && !entry.getKey().equals(file));
  }

  /** A second name for a file, or the name of a new one. */
  void add(String file, Inode inode) {
    change(new Change(null, file, inode));
  }

  /** As rename(2), which does nothing where both are names of one file. */
  void rename(String file, String newName) {
    Inode inode = seen.get(file);
    if (inode != null && inode != seen.get(newName)) {
      change(new Change(file, newName, inode));
    }
  }

  /** As renameat2(2) with RENAME_EXCHANGE; both files exist. */
  void exchange(String file, String other) {
    change(new Change(file, other, seen.get(file), seen.get(other)));
  }

  void remove(String file) {
    change(new Change(file, null, null));
  }

  void sync() {
    pending.forEach(change -> change.applyTo(kept));
    pending.clear();
  }

  List<String> names() {
    return List.copyOf(seen.keySet());
  }

  boolean enter(long slot, Object owner) {
    return guards.putIfAbsent(slot, owner) == null;
  }

  boolean isFree(long slot) {
    return !guards.containsKey(slot);
  }

  void leave(long slot, Object owner) {
    guards.remove(slot, owner);
  }

  /** The kernel drops the guards of a process that ends; returns whether there were any. */
  boolean dropGuardsOf(Object owner) {
    return guards.values().removeIf(owner::equals);
  }

  /** The kernel has written everything, as it does within seconds. */
  void writeBack() {
    seen.values().forEach(Inode::sync);
    sync();
  }

  /** Keeps synced content, and a prefix or any part of the rest. */
  void losePower(SeededRandom dice) {
    boolean inOrder = dice.chance(300);
    int survivors = inOrder ? dice.pick(pending.size() + 1) : pending.size();
    int survival = dice.oneOf(200, 500, 800);
    Set<String> cut = new HashSet<>();
    for (Change change : pending.subList(0, survivors)) {
      String lock = change.lock();
      if (inOrder || (!cut.contains(lock) && dice.chance(survival))) {
        change.applyTo(kept);
      } else if (lock != null) {
        cut.add(lock);
      }
    }
    pending.clear();
    guards.clear();
    seen.clear();
    seen.putAll(kept);
    kept.values().forEach(inode -> inode.losePower(dice));
  }

  private void change(Change change) {
    change.applyTo(seen);
    pending.add(change);
  }
}
