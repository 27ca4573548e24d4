package fleet.tower.lock.file;

import java.io.IOException;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import fleet.tower.lease.FencingToken;
import fleet.tower.lease.LeaseName;
import fleet.tower.platform.StorageException;
import fleet.tower.platform.disk.Journal;
import fleet.tower.platform.disk.RecordedFiles;

/**
 * After a power cut, restores the locks that the journal has but the files have lost, and removes those that had been
 * released. It ends before anything is granted on the new boot, and may be repeated at any point. It also replaces the
 * journal, then and when it is worn.
 *
 * <p>A lock that the journal does not know is newer than it, because a record is synced before its grant is reported,
 * or belongs to another program: it stays.
 *
 * <p>Each name is restored under its guard, with the records until then. So a restore changes nothing that a living
 * process has written: under the guard, its file and its last record agree.
 */
final class Restoration {
  /** The slot of no lock name. */
  static final long SLOT = Long.MAX_VALUE - 1;
  /** The rough size of the records that are carried over, for each lock and each counter. */
  private static final long LOCK_BYTES = 1024;
  private static final long COUNTER_BYTES = 128;

  private final LockDirectory directory;
  private final Guards guards;
  private final Journal journal;
  private final RecordedFiles others;
  private final Fence fence;
  private volatile boolean isRestored;
  private volatile boolean isBegun;
  private volatile boolean isOfKnownBoot;

  /** Gives exclusive use of a slot. */
  interface Guards {
    LockDirectory.Guard enter(long slot) throws IOException;
  }

  /**
   * @param guards the guards of the directory, or others if no other process can change a lock
   *
   * @param others the other files that the journal has records of
   */
  Restoration(LockDirectory directory, Guards guards, Journal journal, RecordedFiles others) {
    this.directory = directory;
    this.guards = guards;
    this.journal = journal;
    this.others = others;
    this.fence = new Fence(directory);
  }

  /**
   * Before a change: restores unless this was done on this boot, and begins the journal. Checks only once, because no
   * process outlives its boot.
   */
  void begin() throws IOException {
    if (isBegun) {
      return;
    }
    if (!journal.isBegun() || journal.isUnfinished()) {
      try (LockDirectory.Guard _ = guards.enter(SLOT)) {
        if (!journal.isBegun()) {
          restoreAll();
          beginJournal();
        }
        carryOverIfPossible();
      }
    }
    isOfKnownBoot = journal.isBegun();
    isRestored = true;
    isBegun = true;
  }

  /** After {@link #begin}: whether the journal is restored only on another boot, and not by each process. */
  boolean isOfKnownBoot() {
    return isOfKnownBoot;
  }

  /** Before a decision that may change nothing: restores if there is something to restore. */
  void restore() throws IOException {
    if (!isRestored && directory.exists()) {
      if (journal.isOfEarlierBoot()) {
        begin();
      }
      isRestored = true;
    }
  }

  /** Before a read, which shows what the last boot left if it cannot be restored. */
  void restoreIfPossible() {
    try {
      restore();
    } catch (IOException | StorageException ignored) {
      // The next change reports it.
    }
  }

  /** Replaces a journal that is too long, or that had an error. If that fails, the next change tries again. */
  void renewIfPossible() {
    if (!journal.isWorn()) {
      return;
    }
    try (LockDirectory.Guard _ = guards.enter(SLOT)) {
      if (journal.isStillWorn()) {
        if (journal.isUnfinished()) {
          carryOver();
        }
        beginJournal();
        carryOver();
      }
    } catch (IOException | StorageException ignored) {
      // What the journal holds stays there.
    }
  }

  private void beginJournal() throws IOException {
    long carried = 0;
    for (String file : directory.list()) {
      carried += FileNames.nameOfLock(file).isPresent() ? LOCK_BYTES : 0;
      carried += FileNames.nameOfFence(file).isPresent() ? COUNTER_BYTES : 0;
    }
    journal.begin(carried);
  }

  private void restoreAll() throws IOException {
    Map<LeaseName, LockHistory> histories = new LinkedHashMap<>();
    Journal.Reading reading = journal.read();
    List<String> records = reading.next();
    LockHistory.add(histories, records);
    for (LeaseName name : List.copyOf(histories.keySet())) {
      try (LockDirectory.Guard _ = guards.enter(FileNames.slot(name))) {
        LockHistory.add(histories, reading.next());
        restore(name, histories.get(name));
      }
    }
    if (!histories.isEmpty()) {
      directory.sync();
    }
    others.restore(records);
  }

  private void restore(LeaseName name, @Nullable LockHistory history) throws IOException {
    if (history == null) {
      return;
    }
    fence.restore(name, history.highest());
    byte[] found;
    try {
      found = directory.read(FileNames.lock(name));
    } catch (LockDirectory.UnfitFile notOurs) {
      return;
    }
    byte[] last = history.last();
    if (found != null && !history.isOver(name, found)) {
      return;
    }
    if (last == null) {
      if (found != null) {
        directory.unlink(FileNames.lock(name));
      }
      return;
    }
    directory.create(FileNames.lockTemp(name), last, true);
    if (found == null) {
      directory.link(FileNames.lockTemp(name), FileNames.lock(name));
      directory.unlink(FileNames.lockTemp(name));
    } else {
      directory.rename(FileNames.lockTemp(name), FileNames.lock(name));
    }
  }

  /** Until it succeeds, a restore reads the previous journal too. */
  private void carryOverIfPossible() {
    try {
      if (journal.isUnfinished()) {
        carryOver();
      }
    } catch (IOException | StorageException ignored) {
      // The next process does it.
    }
  }

  /** Appends the present state of every name to the journal, and removes the previous journal. */
  private void carryOver() throws IOException {
    Set<Journal.Entry> entries = new HashSet<>();
    for (LeaseName name : names()) {
      try (LockDirectory.Guard _ = guards.enter(FileNames.slot(name))) {
        entries.add(journal.append(present(name)));
      }
    }
    directory.sync();
    others.sync();
    for (Journal.Entry entry : entries) {
      entry.sync();
    }
    journal.finish();
  }

  private List<LeaseName> names() throws IOException {
    return directory.list().stream()
        .flatMap(file -> Stream.of(FileNames.nameOfLock(file), FileNames.nameOfFence(file)).flatMap(Optional::stream))
        .distinct().toList();
  }

  /** Other programs' locks, which have no token, stay out: their removal is not recorded. */
  private String present(LeaseName name) throws IOException {
    FencingToken counter = counter(name);
    byte[] found;
    try {
      found = directory.read(FileNames.lock(name));
      if (found == null) {
        return LockHistory.removed(name, counter, null);
      }
      LockRecord lock = LockRecord.parse(name, found);
      return lock.lease().token().isNone()
          ? LockHistory.counted(name, counter)
          : LockHistory.put(lock.lease(), counter.max(lock.lease().token()), found, null);
    } catch (LockDirectory.UnfitFile | LockRecord.NotALease notOurs) {
      return LockHistory.counted(name, counter);
    }
  }

  private FencingToken counter(LeaseName name) throws IOException {
    try {
      return fence.last(name);
    } catch (LockDirectory.UnfitFile | StorageException damaged) {
      return FencingToken.NONE;
    }
  }
}
