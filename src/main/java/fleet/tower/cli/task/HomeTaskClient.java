package fleet.tower.cli.task;

import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import fleet.tower.answer.RemoteRefusal;
import fleet.tower.answer.TaskJson;
import fleet.tower.cli.run.Rejections;
import fleet.tower.intent.Catalogue;
import fleet.tower.intent.Values;
import fleet.tower.platform.list.Page;
import fleet.tower.platform.list.RowBudget;
import fleet.tower.platform.list.Rows;
import fleet.tower.platform.time.Notices;
import fleet.tower.run.submit.SubmitOutcome;
import fleet.tower.task.Task;
import fleet.tower.task.TaskCommand;
import fleet.tower.task.TaskEvent;
import fleet.tower.task.TaskId;
import fleet.tower.task.TaskOutcome;
import fleet.tower.task.TaskSpec;
import fleet.tower.task.TaskStore;
import fleet.tower.task.Tasks;
import fleet.tower.task.worker.TaskWorkCheck;

/** The tasks of a home, in its database. */
public final class HomeTaskClient implements TaskClient {
  private final Supplier<Tasks> opening;
  private final Supplier<Catalogue> intents;
  private final Supplier<Notices> notices;
  private @Nullable Tasks opened;

  /** @param opening opens the database when it is first needed */
  public HomeTaskClient(Supplier<Tasks> opening, Supplier<Catalogue> intents, Supplier<Notices> notices) {
    this.opening = opening;
    this.intents = intents;
    this.notices = notices;
  }

  private synchronized Tasks tasks() {
    if (opened == null) {
      opened = opening.get();
    }
    return opened;
  }

  @Override
  public TaskOutcome perform(TaskCommand.Call call, TaskCommand command) {
    return switch (command) {
      case TaskCommand.Create create -> tasks().create(call, create);
      case TaskCommand.Claim claim -> tasks().claim(call, claim);
      case TaskCommand.Resume resume -> tasks().resume(call, resume);
      case TaskCommand.Start start -> tasks().start(call, start);
      case TaskCommand.Heartbeat heartbeat -> tasks().heartbeat(call, heartbeat);
      case TaskCommand.Close close -> tasks().close(call, close);
      case TaskCommand.Release release -> tasks().release(call, release);
      case TaskCommand.Expire expire -> tasks().expire(call, expire);
    };
  }

  @Override
  public Optional<Task> find(TaskId id) {
    return tasks().get(id).map(Task.View::task);
  }

  @Override
  public Rows<Task> list(TaskStore.Query query, @Nullable String cursor) {
    Page page = query.page(cursor);
    return Rows.collect(page, RowBudget.MAX_SIZE, task -> TaskJson.task(task).end(),
        reader -> tasks().read(query.of(page), reader));
  }

  @Override
  public Rows<TaskEvent> events(TaskId id, long after, int limit) {
    return Rows.collect(TaskJson::event, reader -> tasks().events(id, after, limit, reader));
  }

  @Override
  public TaskSpec.Work work(String intent, Map<String, Values.Given> params) {
    Catalogue catalogue = intents.get();
    return switch (TaskWorkCheck.of(catalogue, intent, params)) {
      case TaskWorkCheck.Fit(TaskSpec.Work work) -> work;
      case TaskWorkCheck.NoIntent(var why) -> throw rejected(why, intent, params, catalogue);
      case TaskWorkCheck.Unfit(var why) -> throw rejected(why, intent, params, catalogue);
    };
  }

  private static RemoteRefusal rejected(SubmitOutcome.Rejected why, String intent, Map<String, Values.Given> params,
      Catalogue catalogue) {
    return new RemoteRefusal(Rejections.code(why),
        Rejections.reply(why, intent, params, catalogue));
  }

  @Override
  public boolean hasIntentsHere() {
    return true;
  }

  @Override
  public Notices notices() {
    return notices.get();
  }

  @Override
  public synchronized void close() {
    if (opened != null) {
      opened.close();
    }
  }
}
