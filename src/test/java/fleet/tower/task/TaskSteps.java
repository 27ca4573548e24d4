package fleet.tower.task;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;

import org.jspecify.annotations.Nullable;

import fleet.tower.lease.RequestId;
import fleet.tower.lease.Ttl;
import fleet.tower.task.TaskCommand.Call;
import fleet.tower.task.TaskCommand.Claim;
import fleet.tower.task.TaskCommand.Close;
import fleet.tower.task.TaskCommand.Create;
import fleet.tower.task.TaskCommand.Ending;
import fleet.tower.task.TaskCommand.Expire;
import fleet.tower.task.TaskCommand.Heartbeat;
import fleet.tower.task.TaskCommand.Release;
import fleet.tower.task.TaskCommand.Resume;
import fleet.tower.task.TaskCommand.Start;
import fleet.tower.task.TaskEvent.Kind;
import fleet.tower.task.TaskOutcome.Done;
import fleet.tower.task.TaskOutcome.Expired;
import fleet.tower.task.TaskOutcome.NotOwned;
import fleet.tower.task.TaskOutcome.Reason;

/** The short forms of task store calls for tests. */
public abstract class TaskSteps {
  protected static final Agent ANN = new Agent("ann");
  protected static final Agent BOB = new Agent("bob");
  protected static final Ttl MINUTE = new Ttl(60);
  protected static final Duration LONGER = Duration.ofSeconds(61);
  protected static final OptionalLong ANY = OptionalLong.empty();
  private int requests;

  /** The store under test. */
  protected abstract TaskStore store();

  /** Advances the time of all claims. */
  protected abstract void pass(Duration duration);

  /** A new request. */
  protected Call by(Agent agent) {
    return new Call(agent, new RequestId("r" + ++requests), null);
  }

  protected Task create(String id) {
    return create(id, TaskSpec.of(id));
  }

  protected Task create(String id, TaskSpec spec) {
    return done(store().create(by(ANN), new Create(new TaskId(id), spec), new TaskId(id))).seen().task();
  }

  protected static TaskSpec spec(int priority, @Nullable String project, String... dependsOn) {
    return new TaskSpec("work", "", priority, List.of(dependsOn).stream().map(TaskId::new).toList(), project, null,
        null);
  }

  protected static Done done(TaskOutcome outcome) {
    assertThat(outcome).isInstanceOf(Done.class);
    return (Done) outcome;
  }

  protected TaskOutcome claim(Agent agent) {
    return store().claim(by(agent), new Claim(null, MINUTE, false));
  }

  protected TaskOutcome start(Agent agent, String id) {
    return store().start(by(agent), new Start(new TaskId(id), MINUTE, ANY));
  }

  protected TaskOutcome resume(Agent agent) {
    return store().resume(by(agent), new Resume(null, MINUTE, ANY));
  }

  protected TaskOutcome beat(Agent agent, String id, long... attempt) {
    return store().change(by(agent), new Heartbeat(new TaskId(id), optional(attempt), MINUTE));
  }

  protected TaskOutcome close(Agent agent, String id, Ending ending, @Nullable String reason, long... attempt) {
    return store().change(by(agent), new Close(new TaskId(id), optional(attempt), ending, reason));
  }

  protected TaskOutcome complete(Agent agent, String id, long... attempt) {
    return close(agent, id, Ending.DONE, null, attempt);
  }

  protected TaskOutcome release(Agent agent, String id, long... attempt) {
    return store().change(by(agent), new Release(new TaskId(id), optional(attempt)));
  }

  protected Expired sweep() {
    TaskOutcome swept = store().expire(by(BOB), new Expire());
    assertThat(swept).isInstanceOf(Expired.class);
    return (Expired) swept;
  }

  private static OptionalLong optional(long... attempt) {
    return attempt.length == 0 ? ANY : OptionalLong.of(attempt[0]);
  }

  protected Task task(String id) {
    return store().find(new TaskId(id)).orElseThrow().task();
  }

  protected String idOf(TaskOutcome outcome) {
    return done(outcome).seen().task().id().value();
  }

  protected List<Kind> kinds(String id) {
    return events(id).stream().map(TaskEvent::kind).toList();
  }

  protected List<TaskEvent> events(String id) {
    return store().events(new TaskStore.EventQuery(new TaskId(id), 0, 1000));
  }

  protected static @Nullable Reason reason(TaskOutcome outcome) {
    return outcome instanceof NotOwned(Task.View _, Reason reason) ? reason : null;
  }

  protected static Task.Claim claim(Task task) {
    Task.Claim claim = task.claim();
    if (claim == null) {
      throw new AssertionError("no claim on " + task);
    }
    return claim;
  }
}
