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
 * A file or directory that is open to be locked by {@code flock(2)}, as {@code flock(1)} does it. What the JDK calls a file lock
 * is another kind, of which {@code flock} users see nothing. This kind belongs to the opening, not to the process, so it excludes
 * threads of one process too, and its file is never removed: who waits for the old one and who makes a new one would both get in.
 */
final class Flock implements AutoCloseable {
  private static final MemorySegment OPEN = Libc.function("open");
  private static final MemorySegment FLOCK = Libc.function("flock");
  private static final MemorySegment FCNTL = Libc.function("fcntl");
  private static final int SET_SIGNAL = 10;
  private static final int SET_LEASE = 1024;
  private static final int WRITE_LEASE = 1;
  private static final int NO_LEASE = 2;
  /** Whoever opens a leased file sends its holder a signal; the usual one would end this process, this one nobody minds. */
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

  /** Opens what is there. */
  static Flock open(Path path) throws IOException {
    return open(path, 0);
  }

  /** Opens what is there, or makes an empty file, which everybody may lock whom the umask lets. */
  static Flock make(Path path) throws IOException {
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

  /** Takes the lock if nobody else has it. */
  boolean tryExclusive() throws IOException {
    return tryLock(LOCK_EXCLUSIVE);
  }

  /** Takes a share of the lock if nobody has it for himself. */
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

  /** What is known of others who have the file open, or are about to. */
  enum Openings {
    NONE, SOME, UNKNOWN
  }

  /** The kernel gives a lease for writing only where nobody else has the file open, not even halfway; it is given back at once. */
  Openings others() {
    Libc.Result _ = Libc.call(FCNTL, descriptor, SET_SIGNAL, SIGURG);
    Libc.Result leased = Libc.call(FCNTL, descriptor, SET_LEASE, WRITE_LEASE);
    if (leased.value() >= 0) {
      Libc.Result _ = Libc.call(FCNTL, descriptor, SET_LEASE, NO_LEASE);
      return Openings.NONE;
    }
    return leased.errno() == Libc.EWOULDBLOCK ? Openings.SOME : Openings.UNKNOWN;
  }

  /** Whether what is open is what stands under its path now. */
  boolean is(Path path) throws IOException {
    return key(Path.of("/proc/self/fd/" + descriptor)).equals(key(path));
  }

  private static Object key(Path path) throws IOException {
    @Nullable
    Object key = Files.readAttributes(path, BasicFileAttributes.class).fileKey();
    return key == null ? path : key;
  }

  /** Gives the lock back, also where a child has inherited it. */
  @Override
  public void close() {
    Libc.Result _ = Libc.call(FLOCK, descriptor, UNLOCK);
    Libc.close(descriptor);
  }
}
