package fleet.tower.remote;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;

import fleet.tower.answer.RefusedCommand;
import fleet.tower.platform.ErrorCode;
import fleet.tower.platform.time.Cancellation;
import fleet.tower.platform.time.Scheduler;

/**
 * A call that the service answers when a lock or message becomes available. If the wait is cancelled, the service is
 * notified and its answer awaited, because it may be a grant made just before, which must be released.
 *
 * @param withdrawal the path of the call that ends the wait
 */
public record PatientCall(Server server, String withdrawal, Cancellation cancellation, Scheduler scheduler) {
  /** How long to wait for the answer to a cancellation. */
  private static final Duration PATIENCE = Duration.ofSeconds(5);
  private static final Duration ON_ITS_WAY = Duration.ofMillis(100);

  /** The answer; {@code withdrawn} if the service no longer knows the request. */
  public <T> T await(Supplier<T> call, T withdrawn) {
    CompletableFuture<T> answer = new CompletableFuture<>();
    Thread.ofPlatform().name("tower-request").daemon()
        .start(() -> answer.completeAsync(call, Runnable::run));
    try (var _ = cancellation.on(() -> withdraw(answer, withdrawn))) {
      return answer.join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof RuntimeException failure) {
        throw failure;
      }
      throw e;
    }
  }

  private <T> void withdraw(CompletableFuture<T> answer, T withdrawn) {
    try {
      server.delete(withdrawal, PATIENCE);
    } catch (RefusedCommand refusal) {
      if (!refusal.is(ErrorCode.NOT_WAITING)) {
        answer.complete(withdrawn);
      } else if (!answer.isDone()) {
        // The request or its answer is still in transit.
        scheduler.after(ON_ITS_WAY, () -> withdraw(answer, withdrawn));
      }
    }
  }
}
