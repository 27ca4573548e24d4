package fleet.tower.lock.file;

import java.io.IOException;
import java.nio.file.Path;
import java.util.function.Consumer;

import fleet.tower.audit.AuditEvent;
import fleet.tower.audit.AuditLog;
import fleet.tower.lease.Lease;
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
 * @param insecureDirectory accepts a directory on a network file system
 *
 * @param warnings receives warnings about the directory, once
 *
 * @param beforeUse called before the first change of a process, and may refuse it
 */
public record FileLocks(Path directory, boolean insecureDirectory, TimeSource time, Scheduler scheduler, AuditLog audit,
    Consumer<String> warnings, Runnable beforeUse) {

  /** Locks that every program may use. */
  public FileLocks(Path directory, boolean insecureDirectory, TimeSource time, Scheduler scheduler, AuditLog audit,
      Consumer<String> warnings) {
    this(directory, insecureDirectory, time, scheduler, audit, warnings, () -> {});
  }

  /** Opens the locks of the directory. Touches nothing until the first call that changes something. */
  public LockStore open() {
    return open(RecordedFiles.NONE).store();
  }

  /** Opens the locks of a directory whose journal has records of other files too. */
  public Opened open(RecordedFiles others) {
    FileLockStore store = new FileLockStore(new NioLockDirectory(directory, guard()), time, Journal.LIMIT, others,
        this::restored);
    return new Opened(store, store, store::restore, store::restoreOthers);
  }

  /**
   * A store and its journal.
   *
   * @param recorder records changes of other files
   *
   * @param restore puts back what a power cut has taken, before other files are changed; reads one line if this was done
   *
   * @param restoreOthers does the same without the locks, before other files are read
   */
  public record Opened(LockStore store, Recorder recorder, Runnable restore, Runnable restoreOthers) {}

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
