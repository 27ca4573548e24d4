package fleet.tower.lock.file;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import fleet.tower.audit.AuditEvent;
import fleet.tower.lease.Lease;
import fleet.tower.lease.LeaseName;
import fleet.tower.lock.AcquireOutcome;
import fleet.tower.lock.AcquireRequest;
import fleet.tower.lock.HaltStore;
import fleet.tower.lock.LockStore;
import fleet.tower.lock.Locks;
import fleet.tower.lock.RecordedAudit;
import fleet.tower.lock.TestLocks;
import fleet.tower.lock.TestRequest;
import fleet.tower.platform.time.ManualTime;
import fleet.tower.platform.time.SystemTime;

/** Locks in a directory of the real file system, with time moved by hand. */
final class FileFixture implements AutoCloseable {
  private final Path directory;
  private final ManualTime time = new ManualTime("2025-12-18T10:30:10Z");
  private final RecordedAudit audit = new RecordedAudit();
  private final List<String> warnings = new ArrayList<>();
  private final List<LockStore> others = new ArrayList<>();
  private @Nullable LockStore store;
  private @Nullable LockDirectory haltFiles;

  FileFixture(Path directory) {
    this.directory = directory;
  }

  Path directory() {
    return directory;
  }

  ManualTime time() {
    return time;
  }

  RecordedAudit audit() {
    return audit;
  }

  List<String> warnings() {
    return warnings;
  }

  /** The store, opened with its first use. */
  LockStore store() {
    LockStore open = store;
    if (open == null) {
      open = open(true);
      store = open;
    }
    return open;
  }

  /** One more store on the directory; to be closed by the caller. */
  LockStore open(boolean insecureAllowed) {
    return FileStores.on(nio(insecureAllowed), time, halts());
  }

  /**
   * The real directory. Waits at its guard use real time: with a clock that each of many waiters advances, the deadline
   * would pass at once.
   */
  NioLockDirectory nio(boolean insecureAllowed) {
    return new NioLockDirectory(directory, guard(insecureAllowed));
  }

  /** Another directory under the same guard. */
  NioLockDirectory nio(Path other) {
    return new NioLockDirectory(other, guard(true));
  }

  private DirectoryGuard guard(boolean insecureAllowed) {
    Runnable onReplaced = () -> audit.append(new AuditEvent.LockGuardReplaced(time.now(), directory.toString()));
    DirectoryCheck check = new DirectoryCheck(directory, insecureAllowed, time, warnings::add);
    return DirectoryGuard.share(directory, check,
        new DirectoryGuard.GuardContext(SystemTime.source(), SystemTime.scheduler(), onReplaced));
  }

  /** The directory of the halts, which is beside that of the locks. */
  Path haltDirectory() {
    return directory.resolveSibling("halts");
  }

  /** The halts of the locks. */
  HaltStore halts() {
    LockDirectory open = haltFiles;
    if (open == null) {
      open = nio(haltDirectory());
      haltFiles = open;
    }
    return new HaltFiles(haltDirectory(), open, time);
  }

  /** Closes a store together with this. */
  LockStore kept(LockStore other) {
    others.add(other);
    return other;
  }

  /** The store with its audit log. */
  Locks locks() {
    return TestLocks.of(store(), audit, time);
  }

  Lease granted(TestRequest asking) {
    return granted(asking.request());
  }

  Lease granted(AcquireRequest request) {
    return switch (store().acquire(request)) {
      case AcquireOutcome.Granted(var held, var _) -> held.lease();
      case AcquireOutcome other -> throw new AssertionError("not granted: " + other);
    };
  }

  /** Makes a name look as if it was used now, by the clock of this fixture. */
  void used(String name) {
    try {
      for (String file : List.of(FileNames.fence(new LeaseName(name)), FileNames.beat(new LeaseName(name)))) {
        Files.setLastModifiedTime(directory.resolve(file), FileTime.from(time.now()));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  Path lock(String name) {
    return directory.resolve(FileNames.lock(new LeaseName(name)));
  }

  byte[] bytes(String name) {
    return read(lock(name));
  }

  String text(String name) {
    return new String(bytes(name), StandardCharsets.UTF_8);
  }

  void put(String name, String content) {
    put(name, content.getBytes(StandardCharsets.UTF_8));
  }

  void put(String name, byte[] content) {
    write(lock(name), content);
  }

  /** The names of all files there. */
  SortedSet<String> names() {
    try (Stream<Path> files = Files.list(directory)) {
      return new TreeSet<>(files.map(file -> file.getFileName().toString()).toList());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** All files: for each regular file its name and exact content, for others their type. */
  List<String> everything() {
    List<String> all = new ArrayList<>();
    for (String name : names()) {
      Path file = directory.resolve(name);
      boolean readable = Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS);
      all.add(name + "=" + (readable ? new String(read(file), StandardCharsets.ISO_8859_1) : kind(file)));
    }
    return all;
  }

  @Override
  public void close() {
    LockStore open = store;
    store = null;
    if (open != null) {
      open.close();
    }
    if (haltFiles != null) {
      haltFiles.close();
      haltFiles = null;
    }
    others.forEach(LockStore::close);
    others.clear();
  }

  static byte[] read(Path file) {
    try {
      return Files.readAllBytes(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static void write(Path file, byte[] content) {
    try {
      Files.createDirectories(file.toAbsolutePath().getParent());
      Files.write(file, content);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String kind(Path file) {
    if (Files.isSymbolicLink(file)) {
      return "link";
    }
    return Files.isDirectory(file) ? "directory" : "other";
  }
}
