package fleet.tower.guard.process;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.List;

import fleet.tower.platform.process.Libc;
import fleet.tower.platform.process.Supervisor;

/** A supervisor's shell without Java's own way to start processes, which takes a fresh process 10 ms. */
final class NativeShell implements Supervisor.Shell {
  private static final int O_CLOEXEC = 0x80000;
  private static final int WNOHANG = 1;

  private static final MemorySegment PIPE = Libc.function("pipe2");
  private static final MemorySegment WRITE = Libc.function("write");
  private static final MemorySegment WAIT = Libc.function("waitpid");

  private final int pid;
  private final int pipe;
  private boolean reaped;
  private boolean closed;

  private NativeShell(int pid, int pipe) {
    this.pid = pid;
    this.pipe = pipe;
  }

  static NativeShell start(List<String> command, List<byte[]> environment) throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment ends = arena.allocate(2 * Integer.BYTES, Integer.BYTES);
      Libc.Result made = Libc.call(PIPE, ends.address(), O_CLOEXEC);
      if (made.value() < 0) {
        throw new IOException("pipe: " + Libc.describe(made.errno()));
      }
      int read = Libc.integer(ends, 0);
      int write = Libc.integer(ends, Integer.BYTES);
      GroupSpawner.Attempt attempt = GroupSpawner.spawnApart(command, environment, read);
      Libc.close(read);
      if (attempt.errno() != 0) {
        Libc.close(write);
        throw new IOException(command.getFirst() + ": " + Libc.describe(attempt.errno()));
      }
      return new NativeShell(attempt.pid(), write);
    }
  }

  @Override
  public long pid() {
    return pid;
  }

  @Override
  public synchronized boolean isAlive() {
    if (!reaped) {
      reaped = Libc.call(WAIT, pid, 0, WNOHANG).value() != 0;
    }
    return !reaped;
  }

  @Override
  public synchronized void write(String lines) throws IOException {
    byte[] text = lines.getBytes(StandardCharsets.US_ASCII);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment bytes = Libc.terminated(arena, text);
      // Far less than a pipe takes at once.
      Libc.Result answer = Libc.uninterrupted(WRITE, pipe, bytes.address(), text.length);
      if (answer.value() < 0) {
        throw new IOException("write: " + Libc.describe(answer.errno()));
      }
    }
  }

  /** Ends the shell and closes its pipe. */
  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    closed = true;
    if (!reaped) {
      int _ = Libc.kill(pid, Libc.SIGKILL);
      Libc.Result _ = Libc.uninterrupted(WAIT, pid, 0, 0);
      reaped = true;
    }
    Libc.close(pipe);
  }
}
