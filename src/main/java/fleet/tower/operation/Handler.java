package fleet.tower.operation;

import java.time.Duration;
import java.util.function.BooleanSupplier;

import fleet.tower.access.Caller;
import fleet.tower.lease.Decision;
import fleet.tower.lease.LeaseName;
import fleet.tower.lock.queue.Wait;
import fleet.tower.platform.time.Cancellation;

/** Carries out an operation for a caller who has the role for it. */
@FunctionalInterface
public interface Handler {
  Outcome handle(Request request);

  /** A request, whichever door it came through. */
  record Request(Given given, Caller caller, Client client) {}

  /**
   * The client of a request: its disconnection ends a wait, and it receives the progress.
   *
   * @param gone the client's disconnection
   * @param progress receives the place in line while the request waits, on the thread that handles it
   * @param isThere whether it is connected as far as known; asked on the thread that handles the request
   * @param secrets runs if the request may have secrets; no answer repeats the request then
   */
  record Client(Cancellation gone, Progress progress, BooleanSupplier isThere, Runnable secrets) {
    /** A client whose disconnection is noticed, and whose requests have no secrets. */
    public Client(Cancellation gone, Progress progress) {
      this(gone, progress, () -> !gone.isCancelled(), () -> {});
    }

    /** A client of which nothing is known until its answer is written. */
    public static Client unknown() {
      return asked(() -> true);
    }

    /** A client whose disconnection is only found when it is asked for. */
    public static Client asked(BooleanSupplier isThere) {
      return new Client(new Cancellation(), (_, _, _, _) -> {}, isThere, () -> {});
    }
  }

  /** Receives the place in line of a request that waits for a lock, as {@link Wait.Progress} does. */
  @FunctionalInterface
  interface Progress {
    void waiting(LeaseName lock, Decision.Obstacle obstacle, Duration waited, int position);
  }
}
