package fleet.tower.lock.file;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import org.jspecify.annotations.Nullable;

/** A directory whose every call can be counted, delayed, failed or be the last one before a crash. */
final class TappedDirectory implements LockDirectory {
  private final LockDirectory real;
  private final Tap tap;
  private final AtomicInteger calls = new AtomicInteger();

  TappedDirectory(LockDirectory real, Tap tap) {
    this.real = real;
    this.tap = tap;
  }

  /**
   * One call.
   *
   * @param number counted from 1
   *
   * @param content the bytes that {@code create} or {@code patch} is about to write
   */
  record Call(int number, String operation, String file, byte @Nullable [] content, int position) {
    @Override
    public String toString() {
      return number + " " + operation + " " + file;
    }
  }

  /** Sits between the algorithm and its directory. */
  interface Tap {
    void before(Call call) throws IOException;

    default void after(Call call) throws IOException {}

    /** Whether the guard is that of the lock, or one that no other process uses. */
    default boolean hasGuard() {
      return true;
    }
  }

  private interface Work<T extends @Nullable Object> {
    T run() throws IOException;
  }

  private Call call(String operation, String file) {
    return new Call(calls.incrementAndGet(), operation, file, null, 0);
  }

  private <T extends @Nullable Object> T tapped(Call call, Work<T> work) throws IOException {
    tap.before(call);
    T result = work.run();
    tap.after(call);
    return result;
  }

  @Override
  public boolean exists() {
    return real.exists();
  }

  @Override
  public Guard enter(long slot) throws IOException {
    Call call = call("enter", FileNames.GUARD);
    tap.before(call);
    Guard guard = real.enter(tap.hasGuard() ? slot : ProcessHandle.current().pid());
    try {
      tap.after(call);
    } catch (IOException e) {
      guard.close();
      throw e;
    }
    return () -> leave(guard);
  }

  /** A kill point, but not a fault point: leaving cannot fail. */
  private void leave(Guard guard) {
    Call call = call("leave", FileNames.GUARD);
    try {
      tap.before(call);
    } catch (IOException ignored) {
      // The guard is left all the same.
    } finally {
      guard.close();
    }
  }

  @Override
  public boolean has(String file) throws IOException {
    return tapped(call("has", file), () -> real.has(file));
  }

  @Override
  public byte @Nullable [] read(String file) throws IOException {
    return tapped(call("read", file), () -> real.read(file));
  }

  @Override
  public @Nullable Instant modified(String file) throws IOException {
    return real.modified(file);
  }

  @Override
  public void create(String file, byte[] content, boolean durable) throws IOException {
    tapped(new Call(calls.incrementAndGet(), "create", file, content, 0), () -> {
      real.create(file, content, durable);
      return file;
    });
  }

  @Override
  public void patch(String file, Patch patch) throws IOException {
    byte[] current = real.read(file);
    Piece piece = patch.of(current == null ? new byte[0] : current);
    tapped(new Call(calls.incrementAndGet(), "patch", file, piece.bytes(), piece.position()), () -> {
      real.patch(file, patch);
      return file;
    });
  }

  @Override
  public void overwrite(String file, byte[] content) throws IOException {
    tapped(new Call(calls.incrementAndGet(), "overwrite", file, content, 0), () -> {
      real.overwrite(file, content);
      return file;
    });
  }

  @Override
  public void link(String file, String newName) throws IOException {
    tapped(call("link", newName), () -> {
      real.link(file, newName);
      return file;
    });
  }

  @Override
  public void rename(String file, String newName) throws IOException {
    tapped(call("rename", newName), () -> {
      real.rename(file, newName);
      return file;
    });
  }

  @Override
  public boolean exchange(String file, String other) throws IOException {
    return tapped(call("exchange", other), () -> real.exchange(file, other));
  }

  @Override
  public void unlink(String file) throws IOException {
    tapped(call("unlink", file), () -> {
      real.unlink(file);
      return file;
    });
  }

  @Override
  public void sync() throws IOException {
    tapped(call("sync", "."), () -> {
      real.sync();
      return ".";
    });
  }

  @Override
  public @Nullable String origin() throws IOException {
    return real.origin();
  }

  @Override
  public byte @Nullable [] read(String file, long from, int most) throws IOException {
    return tapped(call("read", file), () -> real.read(file, from, most));
  }

  @Override
  public Log open(String file) throws IOException {
    return new TappedLog(file, tapped(call("open", file), () -> real.open(file)));
  }

  @Override
  public boolean leadsTo(String file, Log log) throws IOException {
    return tapped(call("compare", file), () -> log instanceof TappedLog tapped && real.leadsTo(file, tapped.log));
  }

  private final class TappedLog implements Log {
    private final String file;
    private final Log log;

    TappedLog(String file, Log log) {
      this.file = file;
      this.log = log;
    }

    @Override
    public long append(byte[] bytes) throws IOException {
      int size = (int) Files.size(path(file));
      return tapped(new Call(calls.incrementAndGet(), "append", file, bytes, size), () -> log.append(bytes));
    }

    @Override
    public void sync() throws IOException {
      tapped(call("sync", file), () -> {
        log.sync();
        return file;
      });
    }

    @Override
    public void close() {
      log.close();
    }
  }

  @Override
  public List<String> list() throws IOException {
    return tapped(call("list", "."), real::list);
  }

  @Override
  public String digest(String file) throws IOException {
    return tapped(call("digest", file), () -> real.digest(file));
  }

  @Override
  public String pathOf(String file) {
    return real.pathOf(file);
  }

  /** The same as a path. */
  Path path(String file) {
    return Path.of(real.pathOf(file));
  }

  @Override
  public void close() {
    real.close();
  }
}
