package fleet.tower.lock.file;

import fleet.tower.lock.HaltSource;
import fleet.tower.platform.disk.Journal;
import fleet.tower.platform.disk.RecordedFiles;
import fleet.tower.platform.time.TimeSource;

/** Stores whose journal has records of locks only. */
final class FileStores {
  private FileStores() {}

  static FileLockStore on(LockDirectory directory, TimeSource time) {
    return on(directory, time, Journal.LIMIT);
  }

  /** @param journalLimit the size in bytes at which the journal is replaced */
  static FileLockStore on(LockDirectory directory, TimeSource time, long journalLimit) {
    return on(directory, time, journalLimit, HaltSource.NONE);
  }

  static FileLockStore on(LockDirectory directory, TimeSource time, HaltSource halts) {
    return on(directory, time, Journal.LIMIT, halts);
  }

  static FileLockStore on(LockDirectory directory, TimeSource time, long journalLimit, HaltSource halts) {
    return new FileLockStore(directory, time, journalLimit, RecordedFiles.NONE, _ -> {}, halts);
  }
}
