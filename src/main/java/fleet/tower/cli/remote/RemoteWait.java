package fleet.tower.cli.remote;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;

import fleet.tower.cli.reply.Told;
import fleet.tower.cli.server.Server;
import fleet.tower.lease.Decision;
import fleet.tower.lease.RequestId;
import fleet.tower.lock.AcquireOutcome;
import fleet.tower.lock.LockAnswers;
import fleet.tower.waiting.Wait;
import fleet.tower.waiting.WaitOutcome;

/**
 * A call that a service answers when a lock is to be had. When the wait is cancelled, the service is told so, and its answer is
 * awaited: it may be the lock, granted just before, which somebody has to give back.
 *
 * @param lock the lock's path
 */
record RemoteWait(Server server, String lock, RequestId by, Wait patience) {
  /** For a service that does not answer; whoever presses a key to end a wait does not want to wait for that. */
  private static final Duration PATIENCE = Duration.ofSeconds(5);
  private static final Duration ON_ITS_WAY = Duration.ofMillis(100);

  WaitOutcome<AcquireOutcome, Decision.Obstacle> await(Supplier<AcquireOutcome> call) {
    CompletableFuture<WaitOutcome<AcquireOutcome, Decision.Obstacle>> answer = new CompletableFuture<>();
    Thread.ofPlatform().name("tower-request").daemon()
        .start(() -> answer.completeAsync(() -> answered(call), Runnable::run));
    try (var _ = patience.cancellation().on(() -> withdraw(answer))) {
      return answer.join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof RuntimeException failure) {
        throw failure;
      }
      throw e;
    }
  }

  private static WaitOutcome<AcquireOutcome, Decision.Obstacle> answered(Supplier<AcquireOutcome> call) {
    try {
      return new WaitOutcome.Answered<>(call.get());
    } catch (Told told) {
      if (LockAnswers.WITHDRAWN.equals(told.getMessage())) {
        return new WaitOutcome.Cancelled<>();
      }
      throw told;
    }
  }

  private void withdraw(CompletableFuture<WaitOutcome<AcquireOutcome, Decision.Obstacle>> answer) {
    try {
      server.delete(lock + "/waiters/" + Server.part(by.value()), PATIENCE);
    } catch (Told told) {
      if (!"not_waiting".equals(told.getMessage())) {
        answer.complete(new WaitOutcome.Cancelled<>());
      } else if (!answer.isDone()) {
        // The request is on its way there, or its answer here.
        patience.scheduler().after(ON_ITS_WAY, () -> withdraw(answer));
      }
    }
  }
}
