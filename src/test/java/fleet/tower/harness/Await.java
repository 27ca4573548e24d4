package fleet.tower.harness;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

import org.awaitility.Awaitility;

/** Waits for events in other threads and processes. */
public final class Await {
  /** The limit of a blocked test; far beyond any duration on a busy machine. */
  public static final Duration LIMIT = Duration.ofMinutes(4);

  private static final Duration BETWEEN_LOOKS = Duration.ofMillis(10);

  private Await() {}

  /** Waits until the condition holds; fails after the limit and names the missing event. */
  public static void until(String what, BooleanSupplier condition) {
    until(what, LIMIT, condition);
  }

  /** The same with a custom limit. */
  public static void until(String what, Duration limit, BooleanSupplier condition) {
    Awaitility.await(what).atMost(limit).pollDelay(Duration.ZERO).pollInterval(BETWEEN_LOOKS).pollInSameThread()
        .until(condition::getAsBoolean);
  }

  /** Waits until an assertion holds; fails with its message. */
  public static void asserted(String what, Duration limit, Runnable assertion) {
    Awaitility.await(what).atMost(limit).pollDelay(Duration.ZERO).pollInterval(BETWEEN_LOOKS).pollInSameThread()
        .untilAsserted(assertion::run);
  }

  /** Waits for the end of a process and returns its exit code; kills and reports one that does not end. */
  public static int exitOf(Process process) {
    return exitOf(process, LIMIT);
  }

  /** The same with a custom limit. */
  public static int exitOf(Process process, Duration limit) {
    try {
      if (process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)) {
        return process.exitValue();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    String command = process.info().commandLine().orElse("a process");
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly();
    throw new AssertionError(command + " did not end within " + limit.toSeconds() + " s");
  }

  /**
   * Kills a process with all that it started, and waits for their ends: none writes into a directory that is deleted.
   */
  public static void kill(Process process) {
    List<ProcessHandle> all = Stream.concat(process.descendants(), Stream.of(process.toHandle())).toList();
    all.forEach(ProcessHandle::destroyForcibly);
    until("process " + process.pid() + " and those that it started have ended",
        () -> all.stream().noneMatch(ProcessHandle::isAlive));
  }
}
