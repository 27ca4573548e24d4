package fleet.tower.cli.shell;

import java.util.concurrent.CountDownLatch;

import org.jspecify.annotations.Nullable;

/**
 * What is done when this process is told to end (SIGINT, SIGTERM, SIGHUP) while a command is at work. The JVM ends with
 * 128 + the signal, and not before both the command and what it asked for here are over. A second signal changes nothing.
 */
public final class Interruptions {
  private final CountDownLatch over = new CountDownLatch(1);
  private @Nullable Thread hook;

  /** Does this when the process is told to end; may be asked for once. */
  public void on(Runnable work) {
    if (hook != null) {
      throw new IllegalStateException("a command has one answer to being interrupted");
    }
    hook = new Thread(() -> {
      work.run();
      awaitEnd();
    }, "tower-interrupted");
    Runtime.getRuntime().addShutdownHook(hook);
  }

  /** The command is over, all its words are written. Does not come back when the process was told to end meanwhile. */
  public void commandIsOver() {
    over.countDown();
    if (hook == null) {
      return;
    }
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException endingAlready) {
      join(Thread.currentThread());
    }
  }

  private void awaitEnd() {
    try {
      over.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** A thread that waits for itself waits for ever; the JVM ends it. */
  private static void join(Thread self) {
    try {
      self.join();
    } catch (InterruptedException e) {
      self.interrupt();
    }
  }
}
