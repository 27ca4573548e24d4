package fleet.tower.lock.file;

import java.io.IOException;
import java.nio.file.Path;
import java.util.function.Consumer;

import fleet.tower.audit.AuditEvent;
import fleet.tower.audit.AuditLog;
import fleet.tower.lease.Lease;
import fleet.tower.lock.HaltSource;
import fleet.tower.lock.HaltStore;
import fleet.tower.lock.Halts;
import fleet.tower.lock.LockStore;
import fleet.tower.lock.MovingLocks;
import fleet.tower.platform.Examination;
import fleet.tower.platform.Finding;
import fleet.tower.platform.disk.Journal;
import fleet.tower.platform.disk.RecordedFiles;
import fleet.tower.platform.disk.RecordedFiles.Recorder;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.platform.time.TimeSource;

/**
 * Factory of lock stores on files.
 *
 * @param halts where the halts are that stop grants
 *
 * @param insecureDirectory accepts a directory on a network file system
 *
 * @param warnings receives warnings about the directory, once
 *
 * @param beforeUse called before the first change of a process, and may refuse it
 */
public record FileLocks(Path directory, HaltPlace halts, boolean insecureDirectory, TimeSource time,
    Scheduler scheduler,
    AuditLog audit, Consumer<String> warnings, Runnable beforeUse) {

  /** Where the halts of a home are: a directory, and the file that halts everything. */
  public record HaltPlace(Path directory, Path file) {
    /** The halts of a home in a directory. */
    public static HaltPlace of(Path home) {
      return new HaltPlace(home.resolve("state/halts"), home.resolve(Halts.FILE));
    }

    /** The source of the halt by the file. */
    public HaltSource fileSource() {
      return new HaltFile(file);
    }
  }

  /** Locks that every program may use, and the halts beside them. */
  public FileLocks(Path directory, boolean insecureDirectory, TimeSource time, Scheduler scheduler, AuditLog audit,
      Consumer<String> warnings) {
    this(directory, HaltPlace.of(directory.resolveSibling("")), insecureDirectory, time, scheduler, audit, warnings,
        () -> {});
  }

  /** Opens the locks of the directory. Touches nothing until the first call that changes something. */
  public LockStore open() {
    return open(RecordedFiles.NONE).store();
  }

  /** Opens the locks of a directory whose journal has records of other files too. */
  public Opened open(RecordedFiles others) {
    DirectoryGuard guard = guard();
    HaltStore halts = haltFiles(guard);
    FileLockStore store = new FileLockStore(new NioLockDirectory(directory, guard), time, Journal.LIMIT, others,
        this::restored, halts.and(halts().fileSource()));
    return new Opened(store, halts, store, store::restore, store::restoreOthers);
  }

  /**
   * A store and its journal.
   *
   * @param halts usable until the store is closed
   *
   * @param recorder records changes of other files
   *
   * @param restore puts back what a power cut has taken, before other files are changed; reads one line if this was done
   *
   * @param restoreOthers does the same without the locks, before other files are read
   */
  public record Opened(LockStore store, HaltStore halts, Recorder recorder, Runnable restore, Runnable restoreOthers) {}

  /**
   * The locks of the directory as the source of a move.
   *
   * @param mark the file that describes the move
   */
  public MovingLocks source(Path mark, RecordedFiles others) {
    DirectoryGuard guard = guard();
    return new FileLockSource(directory, mark, new NioLockDirectory(directory, guard), guard, time, others,
        this::restored);
  }

  /** The halts beside the locks as the source of a move. */
  public HaltSource haltSource() {
    return haltFiles(guard());
  }

  private HaltFiles haltFiles(DirectoryGuard guard) {
    return new HaltFiles(halts().directory(), new NioLockDirectory(halts().directory(), guard), time);
  }

  private void restored(Lease lease) {
    audit.append(new AuditEvent.LockRestored(time.now(), directory.resolve(FileNames.lock(lease.name())).toString(),
        lease));
  }

  private DirectoryGuard guard() {
    Runnable onReplaced = () -> audit.append(new AuditEvent.LockGuardReplaced(time.now(), directory.toString()));
    return DirectoryGuard.share(directory, check(),
        new DirectoryGuard.GuardContext(time, scheduler, onReplaced, beforeUse));
  }

  /** The health check of the lock directory. */
  public Examination examination() {
    return check();
  }

  /** A check whether a lock can be written now; it probes each time it runs. */
  public Examination writing() {
    return check()::examineWriting;
  }

  /** Whether locks exclude each other on the file system of an existing directory. */
  public static Finding fileSystem(Path directory) throws IOException {
    return DirectoryCheck.fileSystem(directory, false);
  }

  private DirectoryCheck check() {
    return new DirectoryCheck(directory, insecureDirectory, time, warnings);
  }
}
