package fleet.tower.cli.work;

import static java.util.Objects.requireNonNull;

import java.util.Optional;
import java.util.Set;

import fleet.tower.cli.reply.RemoteRefusal;
import fleet.tower.cli.task.TaskAnswer;
import fleet.tower.cli.task.TaskClient;
import fleet.tower.platform.StorageException;
import fleet.tower.task.Task;
import fleet.tower.task.TaskCommand;
import fleet.tower.task.TaskOutcome;
import fleet.tower.task.worker.Claims;

/** The claims of a worker, on the desk that its command line means. */
final class ClientClaims implements Claims {
  /** What a service says that may be back in a moment. */
  private static final Set<String> PASSING = Set.of("server_unavailable", "shutting_down", "storage_unavailable");

  private final TaskClient desk;

  ClientClaims(TaskClient desk) {
    this.desk = requireNonNull(desk);
  }

  @Override
  public Offer claim(TaskCommand.Call call, TaskCommand.Claim command) {
    return switch (desk.perform(call, command)) {
      case TaskAnswer.Done done when done.standing() == TaskOutcome.Standing.HELD ->
        new Claimed(done.task(), done.attempt());
      case TaskAnswer.Done _ -> new Missed();
      case TaskAnswer.Idle _ -> new Nothing();
      case TaskAnswer.Refused(var code, var reply) -> throw new RemoteRefusal(code, reply);
      case TaskAnswer.Unclaimed _,TaskAnswer.Swept _ -> throw new IllegalStateException("no answer to a claim");
    };
  }

  @Override
  public Answer perform(TaskCommand.Call call, TaskCommand.ByHolder command) {
    return switch (desk.perform(call, command)) {
      case TaskAnswer.Done done -> done.standing() == TaskOutcome.Standing.LOST ? Answer.LOST : Answer.DONE;
      case TaskAnswer.Unclaimed _ -> fate(command);
      case TaskAnswer.Refused(var code, var _) when code.equals("claim_not_owned") -> fate(command);
      case TaskAnswer.Refused(var code, var _) when code.equals("task_not_found") -> Answer.LOST;
      case TaskAnswer.Refused(var code, var reply) -> throw new RemoteRefusal(code, reply);
      case TaskAnswer.Idle _,TaskAnswer.Swept _ -> throw new IllegalStateException("no answer to " + command.word());
    };
  }

  /** A task that is closed since the same attempt was closed by whoever did it. */
  private Answer fate(TaskCommand.ByHolder command) {
    Optional<Task> task = desk.find(command.id())
        .filter(it -> command.attempt().isPresent() && it.attempt() == command.attempt().getAsLong());
    return task.map(it -> switch (it.status()) {
      case COMPLETED, BLOCKED -> Answer.SETTLED;
      case PENDING, IN_PROGRESS -> Answer.LOST;
    }).orElse(Answer.LOST);
  }

  @Override
  public boolean isPassing(RuntimeException thrown) {
    return thrown instanceof StorageException
        || (thrown instanceof RemoteRefusal told && PASSING.contains(String.valueOf(told.getMessage())));
  }
}
