package fleet.tower.lock.file;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import fleet.tower.lease.FencingToken;
import fleet.tower.lease.Lease;
import fleet.tower.lease.LeaseName;
import fleet.tower.platform.StorageException;
import fleet.tower.platform.disk.Journal;
import fleet.tower.platform.disk.RecordedFiles;

/**
 * After a power cut, restores the locks that the journal has but the files have lost, and removes those that had been
 * released. It ends before anything is granted on the new boot, and may be repeated at any point. It also replaces the
 * journal, then and when it is worn.
 *
 * <p>The file system has the last word. A lock whose file had reached the disk, as its {@link Witnesses witness} shows,
 * was removed or replaced since by another program: it does not come back. A lock that the journal does not know is
 * newer than it, because a record is synced before its grant is reported, or belongs to another program: it stays.
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
  private final Consumer<Lease> onRestored;
  private final Fence fence;
  private final Witnesses witnesses;
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
   *
   * @param onRestored receives each lock that is put back, before it is
   */
  Restoration(LockDirectory directory, Guards guards, Journal journal, RecordedFiles others,
      Consumer<Lease> onRestored) {
    this.directory = directory;
    this.guards = guards;
    this.journal = journal;
    this.others = others;
    this.onRestored = onRestored;
    this.fence = new Fence(directory);
    this.witnesses = new Witnesses(directory);
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
    if (isPending()) {
      begin();
    }
  }

  /** Reads what is there, and what a restore would make of it. */
  interface Look<T> {
    /** Reads with the records that a restore will apply, by name; they are empty if there is nothing to restore. */
    T at(Map<LeaseName, LockHistory> pending) throws IOException;
  }

  /**
   * A look that restores nothing but shows what a restore will leave. It is repeated if the records have changed
   * meanwhile, because it is made without a guard. If they cannot be read, it shows the files as they are, and the next
   * change reports it.
   */
  <T> T look(Look<T> look) throws IOException {
    List<String> records = pendingRecords();
    for (;;) {
      T seen = look.at(histories(records));
      List<String> since = records.isEmpty() ? records : pendingRecords();
      if (since.equals(records)) {
        return seen;
      }
      records = since;
    }
  }

  private List<String> pendingRecords() {
    try {
      return isPending() ? journal.read().next() : List.of();
    } catch (IOException | StorageException unreadable) {
      return List.of();
    }
  }

  private static Map<LeaseName, LockHistory> histories(List<String> records) {
    Map<LeaseName, LockHistory> histories = new LinkedHashMap<>();
    try {
      LockHistory.add(histories, records);
    } catch (StorageException ofNewerVersion) {
      histories.clear();
    }
    return histories;
  }

  /** Before a change of the other files. */
  void restoreIfPossible() {
    ifPossible(this::restore);
  }

  /** Before a read of the other files. */
  void restoreOthersIfPossible() {
    ifPossible(this::restoreOthers);
  }

  private void restoreOthers() throws IOException {
    if (isPending()) {
      try (LockDirectory.Guard _ = guards.enter(SLOT)) {
        if (journal.isOfEarlierBoot()) {
          others.restore(journal.read().next());
        }
      }
    }
  }

  private interface Step {
    void run() throws IOException;
  }

  private static void ifPossible(Step step) {
    try {
      step.run();
    } catch (IOException | StorageException ignored) {
      // The next change reports it.
    }
  }

  private boolean isPending() throws IOException {
    if (!isRestored && directory.exists() && journal.isOfEarlierBoot()) {
      return true;
    }
    isRestored = true;
    return false;
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
    Map<LeaseName, FencingToken> witnessed = witnessed();
    for (LeaseName name : List.copyOf(histories.keySet())) {
      try (LockDirectory.Guard _ = guards.enter(FileNames.slot(name))) {
        LockHistory.add(histories, reading.next());
        restore(name, histories.get(name), witnessed.getOrDefault(name, FencingToken.NONE));
      }
    }
    if (!histories.isEmpty()) {
      directory.sync();
    }
    others.restore(records);
  }

  /** The highest token of each name that has a witness; a grant that was not recorded may have left one. */
  private Map<LeaseName, FencingToken> witnessed() throws IOException {
    return directory.list().stream().flatMap(file -> Witnesses.grantOf(file).stream())
        .collect(Collectors.toMap(Witnesses.Grant::name, Witnesses.Grant::token, FencingToken::max));
  }

  /** @param witnessed a token that is not given again, because its witness would be that of another lock */
  private void restore(LeaseName name, @Nullable LockHistory history, FencingToken witnessed) throws IOException {
    if (history == null) {
      return;
    }
    fence.restore(name, history.highest().max(witnessed));
    byte[] found;
    try {
      found = directory.read(FileNames.lock(name));
    } catch (LockDirectory.UnfitFile notOurs) {
      return;
    }
    byte[] restored = restored(name, found, history);
    if (restored == null && found != null) {
      directory.unlink(FileNames.lock(name));
    } else if (restored != null && !Arrays.equals(restored, found)) {
      putBack(name, restored, found != null, history.lastToken());
    }
  }

  /** The content that a restore gives to a lock file; null if it leaves or makes the name free. */
  byte @Nullable [] restored(LeaseName name, byte @Nullable [] found, LockHistory history) throws IOException {
    byte[] last = history.last();
    boolean wasOnDisk = last != null && witnesses.has(name, history.lastToken());
    if (found == null) {
      return wasOnDisk ? null : last;
    }
    return history.isOver(name, found, wasOnDisk) ? last : found;
  }

  private void putBack(LeaseName name, byte[] lock, boolean isReplaced, FencingToken token) throws IOException {
    try {
      onRestored.accept(LockRecord.parse(name, lock).lease());
    } catch (LockRecord.NotALease ofNewerVersion) {
      // It is put back all the same.
    }
    directory.create(FileNames.lockTemp(name), lock, true);
    if (isReplaced) {
      directory.rename(FileNames.lockTemp(name), FileNames.lock(name));
    } else {
      directory.link(FileNames.lockTemp(name), FileNames.lock(name));
      directory.unlink(FileNames.lockTemp(name));
    }
    witnesses.addRestored(name, token);
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

  /**
   * Appends the present state of every name to the journal, and removes the previous journal, and then the witnesses
   * that neither of them needs.
   */
  private void carryOver() throws IOException {
    Set<Journal.Entry> entries = new HashSet<>();
    List<String> files = directory.list();
    List<Witnesses.Grant> over = new ArrayList<>(files.stream().flatMap(file -> Witnesses.grantOf(file).stream())
        .toList());
    for (LeaseName name : names(files)) {
      try (LockDirectory.Guard _ = guards.enter(FileNames.slot(name))) {
        entries.add(journal.append(present(name, over)));
      }
    }
    directory.sync();
    others.sync();
    for (Journal.Entry entry : entries) {
      entry.sync();
    }
    journal.finish();
    if (!over.isEmpty()) {
      directory.sync();
      over.forEach(grant -> witnesses.discard(grant.name(), grant.token()));
    }
  }

  private static List<LeaseName> names(List<String> files) {
    return files.stream()
        .flatMap(file -> Stream.of(FileNames.nameOfLock(file), FileNames.nameOfFence(file)).flatMap(Optional::stream))
        .distinct().toList();
  }

  /**
   * The record of a name's present state; its lock has a witness then, which is not over. Other programs' locks, which
   * have no token, stay out: their removal is not recorded.
   */
  private String present(LeaseName name, List<Witnesses.Grant> over) throws IOException {
    FencingToken counter = counter(name);
    byte[] found;
    try {
      found = directory.read(FileNames.lock(name));
      if (found == null) {
        return LockHistory.removed(name, counter, null);
      }
      Lease lease = LockRecord.parse(name, found).lease();
      if (lease.token().isNone()) {
        return LockHistory.counted(name, counter);
      }
      witnesses.add(name, lease.token());
      over.remove(new Witnesses.Grant(name, lease.token()));
      return LockHistory.put(lease, counter.max(lease.token()), found, null);
    } catch (LockDirectory.UnfitFile | LockRecord.NotALease notOurs) {
      return LockHistory.counted(name, counter);
    }
  }

  private FencingToken counter(LeaseName name) throws IOException {
    try {
      return fence.counter(name);
    } catch (LockDirectory.UnfitFile | StorageException damaged) {
      return FencingToken.NONE;
    }
  }
}
