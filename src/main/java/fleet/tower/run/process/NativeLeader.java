package fleet.tower.run.process;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

import fleet.tower.platform.process.Libc;
import fleet.tower.run.Processes;

/** A child that only this process reaps: until then its number, and the number of its group, cannot be reused. */
final class NativeLeader implements Spawner.Leader {
  private static final MemorySegment POLL = Libc.function("poll");
  private static final MemorySegment READ = Libc.function("read");
  private static final MemorySegment WRITE = Libc.function("write");
  private static final MemorySegment EVENT = Libc.function("eventfd");
  private static final MemorySegment WAIT = Libc.function("waitid");
  private static final ThreadLocal<Scratch> SCRATCH = ThreadLocal.withInitial(Scratch::new);

  private static final int BUFFER_BYTES = 65536;
  private static final short POLLIN = 1;
  private static final int NO_WAIT = 0;
  private static final int FOREVER = -1;
  /** Many times what a process takes from its fork to its exec. */
  private static final int UNTIL_OTHERS_EXECUTE_MILLIS = 10;
  private static final int EFD_CLOEXEC = 0x80000;
  /** The increment of an event counter, and the number of its bytes. */
  private static final MemorySegment ONE = Arena.ofAuto().allocateFrom(JAVA_LONG, 1);
  private static final int P_PID = 1;
  private static final int WEXITED = 4;
  private static final int CLD_EXITED = 1;
  /** The offsets in {@code siginfo_t} of the kind of end, and of the code or signal, on every 64-bit Linux. */
  private static final int SI_CODE = 8;
  private static final int SI_STATUS = 24;

  private final int pid;
  private final int pipe;
  private final int process;
  /** An event counter that {@link #wake} increments. */
  private final int wakeUp;
  private final Object descriptors = new Object();
  private boolean isClosed;
  private boolean pipeClosed;
  private volatile boolean reaped;

  NativeLeader(int pid, int pipe) {
    this.pid = pid;
    this.pipe = pipe;
    this.process = Libc.openProcess(pid);
    this.wakeUp = Libc.call(EVENT, 0, EFD_CLOEXEC).value();
  }

  /** Native memory for the calls of one thread. */
  private static final class Scratch {
    private final Arena arena = Arena.ofAuto();
    private final MemorySegment buffer = arena.allocate(BUFFER_BYTES);
    private final MemorySegment polled = arena.allocate(24, 8);
    private final MemorySegment info = arena.allocate(256, 16);
  }

  boolean isWatched() {
    return process >= 0 && wakeUp >= 0;
  }

  @Override
  public long pid() {
    return pid;
  }

  @Override
  public Spawner.Event await() {
    Scratch scratch = SCRATCH.get();
    boolean ended = reaped;
    for (;;) {
      int ready = poll(scratch, ended, ended ? NO_WAIT : FOREVER);
      if (scratch.polled.get(JAVA_SHORT, 22) != 0) {
        Libc.Result _ = Libc.uninterrupted(READ, wakeUp, scratch.info.address(), ONE.byteSize());
        return Spawner.Event.WOKEN;
      }
      if ((ready & POLLIN) != 0) {
        return Spawner.Event.OUTPUT;
      }
      pipeClosed |= ready != 0;
      if (ended) {
        return Spawner.Event.ENDED;
      }
      // Output from before the end is in the pipe by now, but may not have been when the pipe was polled.
      ended = scratch.polled.get(JAVA_SHORT, 14) != 0;
      if (ended && pipeClosed) {
        return Spawner.Event.ENDED;
      }
    }
  }

  /** Polls the pipe and, unless the process has ended, its end and the calls of {@link #wake}. */
  private int poll(Scratch scratch, boolean ended, int millis) {
    MemorySegment polled = scratch.polled;
    polled.set(JAVA_INT, 0, pipeClosed ? -1 : pipe);
    polled.set(JAVA_SHORT, 4, POLLIN);
    polled.set(JAVA_SHORT, 6, (short) 0);
    polled.set(JAVA_INT, 8, ended ? -1 : process);
    polled.set(JAVA_SHORT, 12, POLLIN);
    polled.set(JAVA_SHORT, 14, (short) 0);
    polled.set(JAVA_INT, 16, ended ? -1 : wakeUp);
    polled.set(JAVA_SHORT, 20, POLLIN);
    polled.set(JAVA_SHORT, 22, (short) 0);
    Libc.Result answer = Libc.uninterrupted(POLL, polled.address(), 3, millis);
    if (answer.value() < 0) {
      throw new IllegalStateException("poll: " + Libc.describe(answer.errno()));
    }
    return polled.get(JAVA_SHORT, 6);
  }

  @Override
  public int read(byte[] buffer) {
    Scratch scratch = SCRATCH.get();
    long length = Math.min(buffer.length, BUFFER_BYTES);
    Libc.Result answer = Libc.uninterrupted(READ, pipe, scratch.buffer.address(), length);
    if (answer.value() < 0) {
      throw new IllegalStateException("read of a pipe: " + Libc.describe(answer.errno()));
    }
    MemorySegment.copy(scratch.buffer, JAVA_BYTE, 0, buffer, 0, answer.value());
    return answer.value();
  }

  @Override
  public void wake() {
    synchronized (descriptors) {
      if (!isClosed) {
        Libc.Result _ = Libc.uninterrupted(WRITE, wakeUp, ONE.address(), ONE.byteSize());
      }
    }
  }

  @Override
  public boolean isPipeClosed() {
    return pipeClosed;
  }

  @Override
  public void awaitPipe() {
    int ready = poll(SCRATCH.get(), true, UNTIL_OTHERS_EXECUTE_MILLIS);
    pipeClosed |= ready != 0 && (ready & POLLIN) == 0;
  }

  @Override
  public boolean holdsGroup() {
    return !reaped;
  }

  @Override
  public Processes.Exit reap() {
    Scratch scratch = SCRATCH.get();
    Libc.Result answer = Libc.uninterrupted(WAIT, P_PID, pid, scratch.info.address(), WEXITED);
    reaped = true;
    if (answer.value() < 0) {
      throw new IllegalStateException("waitid of " + pid + ": " + Libc.describe(answer.errno()));
    }
    int status = scratch.info.get(JAVA_INT, SI_STATUS);
    return scratch.info.get(JAVA_INT, SI_CODE) == CLD_EXITED
        ? new Processes.Exited(status)
        : new Processes.Signalled(status);
  }

  @Override
  public void close() {
    synchronized (descriptors) {
      isClosed = true;
      for (int descriptor : new int[]{pipe, process, wakeUp}) {
        if (descriptor >= 0) {
          Libc.close(descriptor);
        }
      }
    }
  }
}
