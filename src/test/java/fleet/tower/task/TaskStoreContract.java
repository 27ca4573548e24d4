package fleet.tower.task;

import static fleet.tower.task.TaskStatus.BLOCKED;
import static fleet.tower.task.TaskStatus.COMPLETED;
import static fleet.tower.task.TaskStatus.IN_PROGRESS;
import static fleet.tower.task.TaskStatus.PENDING;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import fleet.tower.lease.Ttl;
import fleet.tower.task.TaskCommand.Call;
import fleet.tower.task.TaskCommand.Claim;
import fleet.tower.task.TaskCommand.Close;
import fleet.tower.task.TaskCommand.Ending;
import fleet.tower.task.TaskCommand.Expire;
import fleet.tower.task.TaskCommand.Heartbeat;
import fleet.tower.task.TaskCommand.Resume;
import fleet.tower.task.TaskCommand.Start;
import fleet.tower.task.TaskEvent.Kind;
import fleet.tower.task.TaskOutcome.Done;
import fleet.tower.task.TaskOutcome.Expired;
import fleet.tower.task.TaskOutcome.Idle;
import fleet.tower.task.TaskOutcome.Standing;

/** The contract of every task store about claims, repeated requests, resumes and all transitions. */
public abstract class TaskStoreContract extends TaskOwnerContract {
  @Test
  @DisplayName("VB-17 a repeated request has no second effect, returns the same event, and is marked as a replay")
  void replay() {
    create("t");
    Call call = by(ANN);
    Start start = new Start(new TaskId("t"), MINUTE, ANY);
    Done first = done(store().start(call, start));

    Done again = done(store().start(call, start));

    assertThat(again.replayed()).isTrue();
    assertThat(again.events()).isEqualTo(first.events());
    assertThat(again.standing()).isEqualTo(Standing.HELD);
    assertThat(again.seen().task()).isEqualTo(first.seen().task());
    assertThat(kinds("t")).containsExactly(Kind.TASK_CREATED, Kind.TASK_CLAIMED);
    Call end = by(ANN);
    Close close = new Close(new TaskId("t"), ANY, Ending.DONE, null);
    done(store().change(end, close));
    assertThat(done(store().change(end, close)).standing()).isEqualTo(Standing.OVER);
    assertThat(done(store().start(call, start)).standing()).isEqualTo(Standing.OVER);
  }

  @Test
  @DisplayName("VB-B4 T11 a replay after the claim was lost reports that, whether another agent has it, it expired, or "
      + "was collected")
  void replayAfterLoss() {
    create("t");
    Call claim = by(ANN);
    done(store().claim(claim, new Claim(null, MINUTE, false)));
    Call beat = by(ANN);
    Heartbeat heartbeat = new Heartbeat(new TaskId("t"), ANY, MINUTE);
    done(store().change(beat, heartbeat));

    pass(LONGER);
    assertThat(done(store().change(beat, heartbeat)).standing()).isEqualTo(Standing.LOST);
    sweep();
    assertThat(done(store().change(beat, heartbeat)).standing()).isEqualTo(Standing.LOST);
    done(claim(BOB));
    Task bobs = task("t");
    Done replayed = done(store().claim(claim, new Claim(null, MINUTE, false)));
    assertThat(replayed.standing()).isEqualTo(Standing.LOST);
    assertThat(replayed.seen().task()).isEqualTo(bobs).isEqualTo(task("t"));
    assertThat(done(store().change(beat, heartbeat)).standing()).isEqualTo(Standing.LOST);
  }

  @Test
  @DisplayName("VB-17 VB-B5 T11 a request id is bound to its command and its arguments, for each agent separately")
  void keyReuse() {
    create("t");
    create("u");
    Call call = by(ANN);
    Start start = new Start(new TaskId("t"), MINUTE, ANY);
    done(store().start(call, start));
    Task untouched = task("u");

    assertThat(store().start(call, new Start(new TaskId("u"), MINUTE, ANY)))
        .isEqualTo(new TaskOutcome.KeyReused(call.requestId(), "start", start.arguments(), null));
    assertThat(store().change(call, new Heartbeat(new TaskId("t"), ANY, MINUTE)))
        .isInstanceOf(TaskOutcome.KeyReused.class);
    assertThat(store().expire(call, new Expire())).isInstanceOf(TaskOutcome.KeyReused.class);
    assertThat(task("u")).isEqualTo(untouched);
    done(store().start(new Call(BOB, call.requestId(), null), new Start(new TaskId("u"), MINUTE, ANY)));
  }

  @Test
  @DisplayName("VB-17 a rejection is not stored: the same request may succeed later, also one that found nothing")
  void refusalsAreNotKept() {
    Call early = by(BOB);
    assertThat(store().claim(early, new Claim(null, MINUTE, false))).isEqualTo(new Idle());
    create("t");
    done(start(ANN, "t"));
    Call call = by(BOB);
    Start start = new Start(new TaskId("t"), MINUTE, ANY);
    assertThat(store().start(call, start)).isInstanceOf(TaskOutcome.Contended.class);
    done(release(ANN, "t"));

    assertThat(done(store().start(call, start)).replayed()).isFalse();
    done(release(BOB, "t"));
    assertThat(done(store().claim(early, new Claim(null, MINUTE, false))).replayed()).isFalse();
  }

  @Test
  @DisplayName("VB-8 VB-20 VB-B2 a resume continues the task in progress, makes it in progress, and is a claim")
  void resumed() {
    create("t");
    create("other", spec(9, null));
    done(start(ANN, "t"));

    assertThat(idOf(resume(ANN))).isEqualTo("t");
    pass(LONGER);
    assertThat(idOf(resume(ANN))).isEqualTo("t");
    done(close(ANN, "t", Ending.BLOCKED, "waits for somebody", 2));
    assertThat(idOf(resume(ANN))).isEqualTo("t");
    assertThat(task("t").status()).isEqualTo(IN_PROGRESS);
    done(close(ANN, "t", Ending.BLOCKED, "failure: exit 1", 3));
    assertThat(idOf(resume(ANN))).as("not what has failed").isEqualTo("other");
    assertThat(resume(BOB)).isEqualTo(new Idle());
  }

  @Test
  @DisplayName("VB-4 VB-8 VB-B6 a resume by the owner renews: the same attempt, no loss, never a shorter claim")
  void resumeRenews() {
    create("t");
    done(store().start(by(ANN), new TaskCommand.Start(new TaskId("t"), new Ttl(3600), ANY)));
    Task before = task("t");

    Done resumed = done(resume(ANN));

    assertThat(resumed.seen().task().attempt()).isEqualTo(1);
    assertThat(resumed.events()).extracting(TaskEvent::kind).containsExactly(Kind.TASK_HEARTBEAT);
    assertThat(claim(resumed.seen().task()).expiresAt()).isEqualTo(claim(before).expiresAt());
    assertThat(claim(resumed.seen().task()).claimedAt()).isEqualTo(claim(before).claimedAt());
    done(beat(ANN, "t"));
    done(complete(ANN, "t"));
  }

  @Test
  @DisplayName("VB-20 after the focus come the agent's assigned tasks, the focus once it is pending again, and the "
      + "queue")
  void resumeOrder() {
    create("focus");
    create("queue", spec(9, null));
    done(start(ANN, "focus"));
    done(release(ANN, "focus"));
    create("assigned", new TaskSpec("a", "", -5, List.of(), null, ANN, null));

    assertThat(idOf(resume(ANN))).isEqualTo("assigned");
    done(complete(ANN, "assigned"));
    done(start(ANN, "focus"));
    done(release(ANN, "focus"));
    assertThat(idOf(resume(ANN))).isEqualTo("focus");
    done(complete(ANN, "focus"));
    assertThat(idOf(resume(ANN))).isEqualTo("queue");
    done(complete(ANN, "queue"));
    assertThat(resume(ANN)).isEqualTo(new Idle());
  }

  @Test
  @DisplayName("VB-8 VB-B9 a resume with a focus that another agent now has takes the next task, never an "
      + "unclaimed or foreign one")
  void resumeTriesTheNext() {
    create("t");
    create("next");
    done(start(ANN, "t"));
    pass(LONGER);
    done(start(BOB, "t"));
    Task bobs = task("t");

    Done resumed = done(resume(ANN));

    assertThat(resumed.seen().task().id().value()).isEqualTo("next");
    assertThat(claim(resumed.seen().task()).agent()).isEqualTo(ANN);
    assertThat(task("t")).isEqualTo(bobs);
  }

  @Test
  @DisplayName("VB-19 every transition from every status follows the table of transitions, and changes nothing "
      + "where it is rejected")
  void everyPair() {
    Set<String> visited = new TreeSet<>();
    for (TaskStatus status : TaskStatus.values()) {
      for (TaskTransition move : TaskTransition.values()) {
        String id = status + "-" + move;
        create(id, spec(0, id));
        bring(id, status, move);
        Task before = task(id);
        TaskOutcome outcome = move(id, move);
        boolean isDone = outcome instanceof Done || (outcome instanceof Expired swept && !swept.events().isEmpty());
        assertThat(isDone).as(id).isEqualTo(move.startsFrom(status));
        assertThat(task(id).status()).as(id).isEqualTo(isDone ? move.to() : status);
        assertThat(isDone || task(id).equals(before)).as(id + " unchanged").isTrue();
        visited.add(id);
      }
    }
    assertThat(visited).hasSize(TaskStatus.values().length * TaskTransition.values().length);
  }

  /** So that only the status can prevent the transition. */
  private void bring(String id, TaskStatus status, TaskTransition move) {
    if (status != PENDING || move == TaskTransition.RESUME) {
      done(start(ANN, id));
    }
    if (status == COMPLETED) {
      done(complete(ANN, id));
    } else if (status == BLOCKED) {
      done(close(ANN, id, Ending.BLOCKED, null));
    } else if (status == PENDING && move == TaskTransition.RESUME) {
      done(release(ANN, id));
    } else if (status == IN_PROGRESS && move.right() != TaskTransition.Right.CLAIM) {
      pass(LONGER);
    }
  }

  private TaskOutcome move(String id, TaskTransition move) {
    return switch (move) {
      case CLAIM -> store().claim(by(ANN), new Claim(id, MINUTE, false));
      case START -> start(ANN, id);
      case RESUME -> store().resume(by(ANN), new Resume(id, MINUTE, ANY));
      case HEARTBEAT -> beat(ANN, id);
      case COMPLETE -> complete(ANN, id);
      case BLOCK -> close(ANN, id, Ending.BLOCKED, "x");
      case RELEASE -> release(ANN, id);
      case EXPIRE -> sweep();
    };
  }

  @Test
  @DisplayName("VB-13 events are numbered upwards and stay; a query for later events returns exactly those")
  void events() {
    create("t");
    create("u");
    done(start(ANN, "t"));
    List<TaskEvent> all = store().events(new TaskStore.EventQuery(null, 0, 10));
    assertThat(all).extracting(TaskEvent::kind).containsExactly(Kind.TASK_CREATED, Kind.TASK_CREATED,
        Kind.TASK_CLAIMED);
    done(beat(ANN, "t"));

    List<TaskEvent> later = store().events(new TaskStore.EventQuery(null, all.getLast().id(), 10));

    assertThat(later).extracting(TaskEvent::kind).containsExactly(Kind.TASK_HEARTBEAT);
    assertThat(later.getFirst().id()).isGreaterThan(all.getLast().id());
    assertThat(store().events(new TaskStore.EventQuery(null, 0, 2))).isEqualTo(all.subList(0, 2));
    assertThat(kinds("u")).containsExactly(Kind.TASK_CREATED);
  }
}
