package fleet.tower.cli.work;

import java.util.Optional;

import fleet.tower.answer.RemoteRefusal;
import fleet.tower.answer.TaskText;
import fleet.tower.cli.task.TaskClient;
import fleet.tower.cli.task.TaskReplies;
import fleet.tower.platform.ErrorCode;
import fleet.tower.platform.StorageException;
import fleet.tower.task.Task;
import fleet.tower.task.TaskCommand;
import fleet.tower.task.TaskOutcome;
import fleet.tower.task.worker.Claims;

/** The claims of a worker, in the home or the service that its command line names. */
final class ClientClaims implements Claims {
  private final TaskClient client;

  ClientClaims(TaskClient client) {
    this.client = client;
  }

  @Override
  public Offer claim(TaskCommand.Call call, TaskCommand.Claim command) {
    return switch (client.perform(call, command)) {
      case TaskOutcome.Done done when done.standing() == TaskOutcome.Standing.HELD ->
        new Claimed(done.seen().task(), done.event().about().attempt());
      case TaskOutcome.Done _ -> new Missed();
      case TaskOutcome.Idle _ -> new Nothing();
      case TaskOutcome.Refusal refusal -> throw refused(refusal, call);
      case TaskOutcome.Unclaimed _,TaskOutcome.Expired _ -> throw new IllegalStateException("no answer to a claim");
    };
  }

  @Override
  public Answer perform(TaskCommand.Call call, TaskCommand.ByHolder command) {
    try {
      return switch (client.perform(call, command)) {
        case TaskOutcome.Done done -> done.standing() == TaskOutcome.Standing.LOST ? Answer.LOST : Answer.DONE;
        case TaskOutcome.Unclaimed _ -> fate(command);
        case TaskOutcome.Refusal refusal -> throw refused(refusal, call);
        case TaskOutcome.Idle _,TaskOutcome.Expired _ ->
          throw new IllegalStateException("no answer to " + command.word());
      };
    } catch (RemoteRefusal refusal) {
      if (refusal.is(ErrorCode.CLAIM_NOT_OWNED)) {
        return fate(command);
      }
      if (refusal.is(ErrorCode.TASK_NOT_FOUND)) {
        return Answer.LOST;
      }
      throw refusal;
    }
  }

  /** A refusal of the home, in the same form as a service's refusal. */
  private static RemoteRefusal refused(TaskOutcome.Refusal refusal, TaskCommand.Call call) {
    return new RemoteRefusal(TaskText.code(refusal), TaskReplies.refused(refusal, call));
  }

  /**
   * The answer for a claim that is gone: settled if the program that did the task closed it in this attempt, else lost.
   */
  private Answer fate(TaskCommand.ByHolder command) {
    Optional<Task> task = client.find(command.id())
        .filter(it -> command.attempt().isPresent() && it.attempt() == command.attempt().getAsLong());
    return task.map(it -> switch (it.status()) {
      case COMPLETED, BLOCKED -> Answer.SETTLED;
      case PENDING, IN_PROGRESS -> Answer.LOST;
    }).orElse(Answer.LOST);
  }

  @Override
  public boolean isPassing(RuntimeException thrown) {
    return thrown instanceof StorageException
        || (thrown instanceof RemoteRefusal refusal && refusal.isPassing());
  }
}
