package fleet.tower.guard.process;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntConsumer;

import org.jspecify.annotations.Nullable;

import fleet.tower.guard.Commands;
import fleet.tower.platform.process.Libc;
import sun.misc.Signal;
import sun.misc.SignalHandler;

/**
 * Listens to the signals that end a process. What the caller ignores stays ignored.
 *
 * <p>Java does not pass SIGQUIT on: it prints its threads to stdout. So a function of the C library is the handler:
 * {@code eventfd_write(descriptor, value)}. It is called with the number of the signal, 3, as the descriptor, which the
 * launcher has reserved for the pipe that is read here. It only writes, which is allowed in a handler.
 */
final class SignalTrap implements Commands.Trap {
  private static final List<String> NAMES = List.of("INT", "TERM", "HUP");
  private static final int SIGQUIT = 3;
  private static final Path KEPT = Path.of("/proc/self/fd/3");
  private static final Path NOTHING = Path.of("/dev/null");
  private static final int O_CLOEXEC = 0x80000;
  private static final int VALUE_BYTES = 8;

  private static final String SIGNAL = "signal";

  private final IntConsumer onSignal;
  private final List<AutoCloseable> listening = new ArrayList<>();
  private @Nullable Thread quits;
  private long javasHandler;
  private boolean closed;

  SignalTrap(IntConsumer onSignal) {
    this.onSignal = onSignal;
    NAMES.forEach(name -> listening.add(listen(name, onSignal)));
  }

  /** Receives a signal until it is closed. */
  static AutoCloseable listen(String name, IntConsumer onSignal) {
    Signal signal = new Signal(name);
    SignalHandler before = Signal.handle(signal, arrived -> onSignal.accept(arrived.getNumber()));
    return () -> Signal.handle(signal, before);
  }

  static void close(AutoCloseable listening) {
    try {
      listening.close();
    } catch (Exception e) {
      throw new IllegalStateException("a signal handler cannot be removed", e);
    }
  }

  /**
   * Handles SIGQUIT if the launcher has reserved the descriptor; otherwise Java handles it. A second call does nothing.
   */
  synchronized void listenForQuit() {
    if (closed || quits != null) {
      return;
    }
    try (Arena arena = Arena.ofConfined()) {
      if (!Files.isSymbolicLink(KEPT) || !Files.readSymbolicLink(KEPT).equals(NOTHING)) {
        return;
      }
      MemorySegment ends = arena.allocate(2 * Integer.BYTES, Integer.BYTES);
      if (Libc.call(Libc.function("pipe2"), ends.address(), O_CLOEXEC).value() < 0) {
        return;
      }
      int read = Libc.integer(ends, 0);
      int write = Libc.integer(ends, Integer.BYTES);
      Libc.Result _ = Libc.call(Libc.function("dup3"), write, SIGQUIT, O_CLOEXEC);
      Libc.close(write);
      javasHandler = Libc.pointer(SIGNAL, SIGQUIT, Libc.function("eventfd_write").address());
      quits = Thread.ofPlatform().name("tower-quit").daemon().start(() -> reportQuits(read));
    } catch (IOException notLinux) {
      // Java handles it.
    }
  }

  private void reportQuits(int pipe) {
    MemorySegment read = Libc.function("read");
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment value = arena.allocate(VALUE_BYTES);
      while (Libc.uninterrupted(read, pipe, value.address(), VALUE_BYTES).value() > 0) {
        onSignal.accept(SIGQUIT);
      }
    }
    Libc.close(pipe);
  }

  @Override
  public void close() {
    listening.forEach(SignalTrap::close);
    synchronized (this) {
      closed = true;
    }
    if (quits != null) {
      long _ = Libc.pointer(SIGNAL, SIGQUIT, javasHandler);
      Libc.close(SIGQUIT);
      // At its end Java waits a third of a second for a thread that is in the C library.
      join(quits);
    }
  }

  private static void join(Thread thread) {
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
