package fleet.tower.lock.file;

import java.nio.file.Path;
import java.util.function.Consumer;

import fleet.tower.audit.AuditEvent;
import fleet.tower.audit.AuditLog;
import fleet.tower.lock.LockStore;
import fleet.tower.platform.check.Examination;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.platform.time.TimeSource;

/**
 * Opens locks on files.
 *
 * @param insecureDirectory takes a directory on a network or overlay file system too
 * @param warnings told once what is doubtful about the directory
 */
public record FileLocks(Path directory, boolean insecureDirectory, TimeSource time, Scheduler scheduler, AuditLog audit,
    Consumer<String> warnings) {

  /** The locks of the directory. Nothing is touched before the first call that changes something. */
  public LockStore open() {
    Runnable onReplaced = () -> audit.append(new AuditEvent.LockGuardReplaced(time.now(), directory.toString()));
    DirectoryGuard.GuardWatcher watcher = new DirectoryGuard.GuardWatcher(time, scheduler, onReplaced);
    DirectoryGuard guard = DirectoryGuard.share(directory, check(), watcher);
    return new FileLockStore(new NioLockDirectory(directory, guard), time);
  }

  /** What the doctor looks at here. */
  public Examination examination() {
    return check();
  }

  /** Looks whether a lock could be written now, as often as it is asked. */
  public Examination writing() {
    return check()::examineWriting;
  }

  private DirectoryCheck check() {
    return new DirectoryCheck(directory, insecureDirectory, time, warnings);
  }
}
