package fleet.tower.foreign.file;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;

import org.jspecify.annotations.Nullable;

import fleet.tower.platform.process.Libc;

/**
 * An open file or directory that can be locked by {@code flock(2)}, as {@code flock(1)} does. The JDK's file locks are
 * of another kind, invisible to {@code flock} users. This kind belongs to the open file description, not to the
 * process, so it excludes threads of one process too. Its file is never removed: a waiter on the old file and the
 * creator of a new one would both get the lock.
 */
final class Flock implements AutoCloseable {
  private static final MemorySegment OPEN = Libc.function("open");
  private static final MemorySegment FLOCK = Libc.function("flock");
  private static final MemorySegment FCNTL = Libc.function("fcntl");
  private static final int SET_SIGNAL = 10;
  private static final int SET_LEASE = 1024;
  private static final int WRITE_LEASE = 1;
  private static final int NO_LEASE = 2;
  /** Opening a leased file sends its holder a signal; the default one would end this process, this one is ignored. */
  private static final int SIGURG = 23;
  private static final int LOCK_SHARED = 1;
  private static final int LOCK_EXCLUSIVE = 2;
  private static final int LOCK_NOT_BLOCKING = 4;
  private static final int UNLOCK = 8;
  private static final int READ_ONLY = 0;
  private static final int CREATE = 0100;
  private static final int NO_TERMINAL = 0400;
  private static final int NOT_BLOCKING = 04000;
  private static final int CLOSE_ON_EXEC = 02000000;
  private static final int EVERYBODY = 0666;

  private final int descriptor;

  private Flock(int descriptor) {
    this.descriptor = descriptor;
  }

  /** Opens an existing file. */
  static Flock open(Path path) throws IOException {
    return open(path, 0);
  }

  /** Opens a file, creating it if it is missing, with the permissions that the umask allows. */
  static Flock openOrCreate(Path path) throws IOException {
    return Files.isDirectory(path) ? open(path) : open(path, CREATE);
  }

  private static Flock open(Path path, int more) throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      Libc.Result answer = Libc.uninterrupted(OPEN, Libc.terminated(arena, path.toString()).address(),
          READ_ONLY | NO_TERMINAL | NOT_BLOCKING | CLOSE_ON_EXEC | more, EVERYBODY);
      if (answer.value() < 0) {
        throw new IOException(Libc.describe(answer.errno()) + " (" + path + ")");
      }
      return new Flock(answer.value());
    }
  }

  /** Acquires the exclusive lock if it is free. */
  boolean tryExclusive() throws IOException {
    return tryLock(LOCK_EXCLUSIVE);
  }

  /** Acquires a shared lock if there is no exclusive one. */
  boolean tryShared() throws IOException {
    return tryLock(LOCK_SHARED);
  }

  private boolean tryLock(int kind) throws IOException {
    Libc.Result answer = Libc.uninterrupted(FLOCK, descriptor, kind | LOCK_NOT_BLOCKING);
    if (answer.value() < 0 && answer.errno() != Libc.EWOULDBLOCK) {
      throw new IOException("flock: " + Libc.describe(answer.errno()));
    }
    return answer.value() >= 0;
  }

  /** Whether other processes have the file open, or are opening it. */
  enum Openings {
    NONE, SOME, UNKNOWN
  }

  /**
   * The kernel grants a write lease only if no other process has the file open or is opening it; the lease is released
   * at once.
   */
  Openings others() {
    Libc.Result _ = Libc.call(FCNTL, descriptor, SET_SIGNAL, SIGURG);
    Libc.Result leased = Libc.call(FCNTL, descriptor, SET_LEASE, WRITE_LEASE);
    if (leased.value() >= 0) {
      Libc.Result _ = Libc.call(FCNTL, descriptor, SET_LEASE, NO_LEASE);
      return Openings.NONE;
    }
    return leased.errno() == Libc.EWOULDBLOCK ? Openings.SOME : Openings.UNKNOWN;
  }

  /** Whether the open file is still the one at its path. */
  boolean is(Path path) throws IOException {
    return key(Path.of("/proc/self/fd/" + descriptor)).equals(key(path));
  }

  private static Object key(Path path) throws IOException {
    @Nullable
    Object key = Files.readAttributes(path, BasicFileAttributes.class).fileKey();
    return key == null ? path : key;
  }

  /** Releases the lock, even if a child process inherited it. */
  @Override
  public void close() {
    Libc.Result _ = Libc.call(FLOCK, descriptor, UNLOCK);
    Libc.close(descriptor);
  }
}
