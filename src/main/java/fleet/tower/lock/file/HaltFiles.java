package fleet.tower.lock.file;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;

import fleet.tower.lease.LeaseName;
import fleet.tower.lock.Halt;
import fleet.tower.lock.HaltDocument;
import fleet.tower.lock.HaltRequest;
import fleet.tower.lock.HaltStore;
import fleet.tower.platform.InvalidValue;
import fleet.tower.platform.StorageException;
import fleet.tower.platform.disk.Errno;
import fleet.tower.platform.disk.OwnerOnly;
import fleet.tower.platform.time.TimeSource;

/**
 * The halts of a home on files, one file for each, in a directory of their own that the first one creates. They change
 * under a guard of the lock directory, one at a time. An expired halt counts as none, and the next change removes it. A
 * file that cannot be read as a halt counts as one of everything.
 */
final class HaltFiles implements HaltStore {
  private static final String SUFFIX = ".json";

  private final Path path;
  private final LockDirectory directory;
  private final TimeSource time;

  /** @param directory the files at the path; its guard is that of the lock directory */
  HaltFiles(Path path, LockDirectory directory, TimeSource time) {
    this.path = path;
    this.directory = directory;
    this.time = time;
  }

  /** If there is no directory, this costs one system call. */
  @Override
  public InForce inForce() {
    return read(() -> {
      InForce found = InForce.NONE;
      if (HaltFile.attributes(path) == null) {
        return found;
      }
      for (String file : directory.list()) {
        if (file.endsWith(SUFFIX) && !FileNames.isTemp(file)) {
          found = found.and(find(file.substring(0, file.length() - SUFFIX.length())));
        }
      }
      return found;
    });
  }

  /** The halt of a name, if it is in force. */
  private InForce find(String name) throws IOException {
    try {
      Halt halt = HaltDocument.read(name, HaltFile.content(path.resolve(file(name))));
      return halt.isOverAt(time.now()) ? InForce.NONE : new InForce(List.of(halt), List.of());
    } catch (NoSuchFileException absent) {
      return InForce.NONE;
    } catch (IOException e) {
      return unreadable(name, Errno.describe(e));
    } catch (InvalidValue e) {
      return unreadable(name, e.problem());
    }
  }

  private InForce unreadable(String name, String problem) throws IOException {
    Instant since = directory.modified(file(name));
    return new InForce(List.of(), List.of(new Unreadable(name, directory.pathOf(file(name)), problem,
        since == null ? time.now() : since)));
  }

  @Override
  public PlaceOutcome place(HaltRequest request) {
    return change(() -> {
      Halt existing = find(request.name()).halts().stream().findFirst().orElse(null);
      if (existing != null && request.isMetBy(existing)) {
        return new PlaceOutcome.Kept(existing);
      }
      Halt halt = request.from(time.now());
      OwnerOnly.makeDurableDirectories(path);
      String temp = FileNames.exchangeTemp(file(halt.name()));
      directory.create(temp, HaltDocument.of(halt), true);
      directory.rename(temp, file(halt.name()));
      directory.sync();
      return new PlaceOutcome.Placed(halt, existing);
    });
  }

  @Override
  public LiftOutcome lift(String name) {
    return change(() -> {
      InForce found = LeaseName.isValid(name) ? find(name) : InForce.NONE;
      if (found.isEmpty()) {
        return new LiftOutcome.Absent();
      }
      directory.unlink(file(name));
      directory.sync();
      return new LiftOutcome.Lifted(found.halts().stream().findFirst().orElse(null), time.now());
    });
  }

  /** Removes the files of expired halts. */
  private void sweep() throws IOException {
    for (String file : directory.list()) {
      String name = file.endsWith(SUFFIX) ? file.substring(0, file.length() - SUFFIX.length()) : "";
      if (LeaseName.isValid(name) && find(name).isEmpty()) {
        directory.unlink(file);
      }
    }
  }

  private static String file(String name) {
    return name + SUFFIX;
  }

  private interface Work<T> {
    T run() throws IOException;
  }

  private <T> T change(Work<T> work) {
    return read(() -> {
      try (LockDirectory.Guard _ = directory.enter(FileNames.HALTS)) {
        sweep();
        return work.run();
      }
    });
  }

  private <T> T read(Work<T> work) {
    try {
      return work.run();
    } catch (IOException e) {
      throw new StorageException("the halts in " + path + ": " + Errno.describeWithFile(e), e);
    }
  }
}
