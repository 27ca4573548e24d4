package fleet.tower.cli.shell;

import java.util.concurrent.CountDownLatch;

import org.jspecify.annotations.Nullable;

/**
 * The reaction to SIGINT, SIGTERM and SIGHUP while a command runs. The JVM exits with 128 + the signal, but only after
 * both the command and the handler that it registered here have finished. A second signal has no effect.
 */
public final class Interruptions {
  private final CountDownLatch over = new CountDownLatch(1);
  private @Nullable Thread hook;

  /** Registers the handler; may be called once. */
  public void on(Runnable work) {
    if (hook != null) {
      throw new IllegalStateException("a command has only one interruption handler");
    }
    hook = new Thread(() -> {
      work.run();
      awaitEnd();
    }, "tower-interrupted");
    Runtime.getRuntime().addShutdownHook(hook);
  }

  /** Called when the command has written all output. Does not return if a signal arrived meanwhile. */
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

  /** Blocks forever; the JVM ends the thread. */
  private static void join(Thread self) {
    try {
      self.join();
    } catch (InterruptedException e) {
      self.interrupt();
    }
  }
}
