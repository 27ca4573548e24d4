package fleet.tower.run.process;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

import fleet.tower.platform.time.Scheduler;
import fleet.tower.run.Processes;

/**
 * Starts processes through Java and {@code setsid}, for a C library that is not glibc or is an old one. It is slower,
 * and has two limits. The JVM reaps the first process, so for the microseconds between a check and a signal the number
 * of its group could be reused (which happens only after all other numbers were used). And an end by a signal looks
 * like the exit code 128 + n.
 */
final class WrapperSpawner implements Spawner {
  private static final Duration BETWEEN_LOOKS = Duration.ofMillis(5);

  private final Path home;
  private final Scheduler scheduler;

  WrapperSpawner(Path home, Scheduler scheduler) {
    this.home = home;
    this.scheduler = scheduler;
  }

  @Override
  public Attempt spawn(Launch launch) {
    List<String> command = new ArrayList<>(List.of("setsid", launch.program()));
    command.addAll(launch.argv().subList(1, launch.argv().size()));
    ProcessBuilder builder = new ProcessBuilder(command).directory(home.toFile()).redirectErrorStream(true)
        .redirectInput(new File("/dev/null"));
    builder.environment().keySet().removeIf(name -> !Launch.isInherited(name));
    builder.environment().putAll(launch.additions());
    try {
      return new Begun(new WrappedLeader(builder.start(), scheduler));
    } catch (IOException e) {
      return new Failed(
          new Processes.NotStarted(Launch.NOT_STARTED, launch.program() + ": " + String.valueOf(e.getMessage())));
    }
  }

  /** A process that Java watches. Its pipe is polled, because a blocking read cannot be interrupted. */
  private static final class WrappedLeader implements Leader {
    private final Process process;
    private final InputStream output;
    private final Scheduler scheduler;
    private final AtomicBoolean isWoken = new AtomicBoolean();

    WrappedLeader(Process process, Scheduler scheduler) {
      this.process = process;
      this.output = process.getInputStream();
      this.scheduler = scheduler;
    }

    @Override
    public long pid() {
      return process.pid();
    }

    @Override
    public Event await() {
      try {
        for (;;) {
          if (isWoken.getAndSet(false)) {
            return Event.WOKEN;
          }
          boolean ended = !process.isAlive();
          if (output.available() > 0) {
            return Event.OUTPUT;
          }
          if (ended) {
            return Event.ENDED;
          }
          scheduler.pause(BETWEEN_LOOKS);
        }
      } catch (IOException closed) {
        return Event.ENDED;
      }
    }

    @Override
    public int read(byte[] buffer) {
      try {
        return Math.max(0, output.read(buffer));
      } catch (IOException closed) {
        return 0;
      }
    }

    @Override
    public void wake() {
      isWoken.set(true);
    }

    /** This is not known here. */
    @Override
    public boolean isPipeClosed() {
      return false;
    }

    @Override
    public void awaitPipe() {
      // The end of the pipe is not known here.
    }

    @Override
    public boolean holdsGroup() {
      return process.isAlive();
    }

    @Override
    public Processes.Exit reap() {
      boolean interrupted = false;
      for (;;) {
        try {
          int code = process.waitFor();
          if (interrupted) {
            Thread.currentThread().interrupt();
          }
          return new Processes.Exited(code);
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    }

    @Override
    public void close() {
      try {
        output.close();
      } catch (IOException alreadyClosed) {
        // Nothing is left to read.
      }
    }
  }
}
