package fleet.tower.cli.server;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;

import fleet.tower.cli.reply.ErrorCode;
import fleet.tower.cli.reply.RemoteRefusal;
import fleet.tower.lease.RequestId;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.platform.wait.Cancellation;

/**
 * A call that a service answers when there is something to be had, a lock or a message. When the wait is cancelled, the service
 * is told so, and its answer is awaited: it may be what was waited for, granted just before, which somebody has to give back.
 *
 * @param place the path of what is waited for
 * @param by the request that waits there
 */
public record PatientCall(Server server, String place, RequestId by, Cancellation cancellation, Scheduler scheduler) {
  /** For a service that does not answer; whoever presses a key to end a wait does not want to wait for that. */
  private static final Duration PATIENCE = Duration.ofSeconds(5);
  private static final Duration ON_ITS_WAY = Duration.ofMillis(100);

  /** The answer; {@code withdrawn} where the service does not say any more what it is. */
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
      server.delete(place + "/waiters/" + Server.part(by.value()), PATIENCE);
    } catch (RemoteRefusal told) {
      if (!told.is(ErrorCode.NOT_WAITING)) {
        answer.complete(withdrawn);
      } else if (!answer.isDone()) {
        // The request is on its way there, or its answer here.
        scheduler.after(ON_ITS_WAY, () -> withdraw(answer, withdrawn));
      }
    }
  }
}
