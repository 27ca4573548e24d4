package fleet.tower.harness;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import fleet.tower.platform.process.Libc;

/** A pseudo-terminal of the C library with simulated keyboard input; it is the controlling terminal of its command. */
public final class Pty implements AutoCloseable {
  private static final int O_RDWR = 2;
  private static final int O_NOCTTY = 0x100;
  private static final int O_CLOEXEC = 0x80000;
  private static final int BUFFER_BYTES = 4096;

  private final int master;
  private final Process process;
  private final Thread reader;
  /** Appended to by the one reader thread. */
  private volatile String screen = "";

  /** Runs a command in the terminal. */
  public Pty(List<String> command, Map<String, String> environment) throws IOException {
    master = Libc.call(Libc.function("posix_openpt"), O_RDWR | O_NOCTTY | O_CLOEXEC).value();
    String name;
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment text = arena.allocate(BUFFER_BYTES);
      if (Libc.call(Libc.function("grantpt"), master).value() != 0
          || Libc.call(Libc.function("unlockpt"), master).value() != 0
          || Libc.call(Libc.function("ptsname_r"), master, text.address(), BUFFER_BYTES).value() != 0) {
        throw new IOException("no terminal can be made");
      }
      name = text.getString(0);
    }
    List<String> apart = new ArrayList<>(List.of("sh", "-c", "exec setsid -c \"$@\" <" + name + " >" + name + " 2>&1",
        "sh"));
    apart.addAll(command);
    ProcessBuilder builder = new ProcessBuilder(apart);
    builder.environment().clear();
    builder.environment().putAll(environment);
    process = builder.start();
    reader = Thread.ofPlatform().daemon().start(this::read);
  }

  private void read() {
    MemorySegment function = Libc.function("read");
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment buffer = arena.allocate(BUFFER_BYTES);
      for (;;) {
        int length = Libc.uninterrupted(function, master, buffer.address(), BUFFER_BYTES).value();
        if (length <= 0) {
          return;
        }
        add(StandardCharsets.UTF_8.decode(buffer.asSlice(0, length).asByteBuffer()).toString());
      }
    }
  }

  private synchronized void add(String text) {
    screen = screen + text;
  }

  /** Types keys. */
  public void type(String keys) {
    try (Arena arena = Arena.ofConfined()) {
      byte[] bytes = keys.getBytes(StandardCharsets.UTF_8);
      Libc.Result _ = Libc.call(Libc.function("write"), master, Libc.terminated(arena, keys).address(), bytes.length);
    }
  }

  /** All output so far. */
  public String screen() {
    return screen;
  }

  /** Waits for a text after the given position; the terminal ends after the last process that has it open. */
  public void await(String text, int from) {
    try {
      Await.until(text, () -> screen.indexOf(text, from) >= 0 || !reader.isAlive());
    } catch (AssertionError e) {
      throw new AssertionError("no '" + text + "' behind " + from + " in:\n" + screen, e);
    }
    if (screen.indexOf(text, from) < 0) {
      throw new AssertionError("never '" + text + "' in:\n" + screen);
    }
  }

  public Process process() {
    return process;
  }

  /** The reader ends before the descriptor is closed, or it could read from a file that is opened next. */
  @Override
  public void close() {
    Await.kill(process);
    Await.until("the end of the terminal", () -> !reader.isAlive());
    Libc.close(master);
  }
}
