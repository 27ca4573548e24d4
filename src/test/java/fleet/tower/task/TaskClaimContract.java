package fleet.tower.task;

import static fleet.tower.task.TaskStatus.COMPLETED;
import static fleet.tower.task.TaskStatus.IN_PROGRESS;
import static fleet.tower.task.TaskStatus.PENDING;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import fleet.tower.lease.Ttl;
import fleet.tower.platform.list.PageWalk;
import fleet.tower.task.TaskCommand.Call;
import fleet.tower.task.TaskCommand.Claim;
import fleet.tower.task.TaskCommand.Create;
import fleet.tower.task.TaskCommand.Ending;
import fleet.tower.task.TaskCommand.Expire;
import fleet.tower.task.TaskCommand.Resume;
import fleet.tower.task.TaskCommand.Start;
import fleet.tower.task.TaskEvent.Kind;
import fleet.tower.task.TaskOutcome.Done;
import fleet.tower.task.TaskOutcome.Expired;
import fleet.tower.task.TaskOutcome.Idle;
import fleet.tower.task.TaskOutcome.Reason;
import fleet.tower.task.TaskOutcome.Standing;

/** The contract of every task store about claims. */
public abstract class TaskClaimContract extends TaskSteps {
  @Test
  @DisplayName("VB-1 VB-11 a new task is pending, unclaimed, at attempt 0, and its whole spec is stored")
  void created() {
    create("first");
    TaskSpec spec = new TaskSpec("Zählen ☃", "viele\nZeilen", -3, List.of(new TaskId("first")), "p", BOB,
        new TaskSpec.Work("backup", "{\"a\":1}"));

    Task made = create("t", spec);

    assertThat(made).isEqualTo(task("t"));
    assertThat(made.spec()).isEqualTo(spec);
    assertThat(made.status()).isEqualTo(PENDING);
    assertThat(made.claim()).isNull();
    assertThat(made.attempt()).isZero();
    assertThat(made.origin().createdBy()).isEqualTo(ANN);
    assertThat(kinds("t")).containsExactly(Kind.TASK_CREATED);
  }

  @Test
  @DisplayName("A task with an existing id, or with a missing dependency, is not created, and nothing of it is stored")
  void notCreated() {
    create("t");

    assertThat(store().create(by(BOB), new Create(new TaskId("t"), TaskSpec.of("other")), new TaskId("t")))
        .isInstanceOfSatisfying(TaskOutcome.IdTaken.class,
            taken -> assertThat(taken.seen().task()).isEqualTo(task("t")));
    assertThat(store().create(by(BOB), new Create(new TaskId("u"), spec(0, null, "t", "gone", "lost")),
        new TaskId("u")))
        .isEqualTo(new TaskOutcome.MissingDependencies(List.of(new TaskId("gone"), new TaskId("lost"))));
    assertThat(store().find(new TaskId("u"))).isEmpty();
    assertThat(store().list(TaskStore.Query.ALL).tasks()).containsExactly(task("t"));
  }

  @Test
  @DisplayName("VB-2 VB-13 VB-14 a claim takes it: in progress, owner, times of one clock, one event that encodes it")
  void claimed() {
    create("t");

    Done claimed = done(claim(ANN));

    Task task = claimed.seen().task();
    Task.Claim claim = claim(task);
    assertThat(task).isEqualTo(task("t"));
    assertThat(task.status()).isEqualTo(IN_PROGRESS);
    assertThat(claim.agent()).isEqualTo(ANN);
    assertThat(claim.claimedAt()).isEqualTo(claim.lastHeartbeatAt()).isEqualTo(claimed.seen().at());
    assertThat(claim.expiresAt()).isEqualTo(claim.claimedAt().plusSeconds(60));
    assertThat(claim.isActive()).isTrue();
    assertThat(claimed.standing()).isEqualTo(Standing.HELD);
    assertThat(claimed.event().detail()).isEqualTo("{\"from\":\"pending\",\"ttl_seconds\":60}");
    assertThat(kinds("t")).containsExactly(Kind.TASK_CREATED, Kind.TASK_CLAIMED);
    assertThat(store().focus(ANN)).contains(new TaskId("t"));
  }

  @Test
  @DisplayName("Each of 2,500 tasks is on one page, in the order in which they are offered, while others are created")
  void pages() {
    List<String> expected = new ArrayList<>();
    for (int priority = 2; priority >= -2; priority--) {
      for (int i = 0; i < 500; i++) {
        expected.add("p" + priority + "-" + i);
      }
    }
    expected.forEach(id -> create(id, spec(Integer.parseInt(id.substring(1, id.lastIndexOf('-'))), null)));
    TaskStore.Query query = new TaskStore.Query(null, null, null, 300);

    List<String> read = PageWalk.<Task>rows(query.page(null), (page, reader) -> store().read(query.of(page), reader),
        count -> {
          create("new-high-" + count, spec(9, null));
          create("new-low-" + count, spec(-9, null));
          claim(ANN);
        }).stream().map(task -> task.id().value()).toList();

    assertThat(read).doesNotHaveDuplicates();
    assertThat(read.stream().filter(expected::contains)).isEqualTo(expected);
  }

  @Test
  @DisplayName("VB-14 the next task has the highest priority, then the oldest age; then there is none")
  void order() {
    create("low", spec(-1, null));
    create("old", spec(0, null));
    create("new", spec(0, null));
    create("high", spec(5, null));

    assertThat(List.of(idOf(claim(ANN)), idOf(claim(BOB)), idOf(claim(ANN)), idOf(claim(BOB))))
        .containsExactly("high", "old", "new", "low");
    assertThat(claim(ANN)).isEqualTo(new Idle());
    assertThat(store().list(TaskStore.Query.ALL).tasks().stream().map(it -> it.id().value()))
        .containsExactly("high", "old", "new", "low");
  }

  @Test
  @DisplayName("VB-14 a claim for one project takes tasks of no other")
  void project() {
    create("none", spec(9, null));
    create("a", spec(0, "a"));

    assertThat(store().claim(by(ANN), new Claim("b", MINUTE, false))).isEqualTo(new Idle());
    assertThat(idOf(store().claim(by(ANN), new Claim("a", MINUTE, false)))).isEqualTo("a");
    assertThat(store().list(new TaskStore.Query(null, "a", null, 9)).tasks()).containsExactly(task("a"));
    assertThat(store().list(new TaskStore.Query(PENDING, null, null, 9)).tasks()).containsExactly(task("none"));
    assertThat(store().list(new TaskStore.Query(null, null, ANN, 9)).tasks()).containsExactly(task("a"));
  }

  @Test
  @DisplayName("VB-14 a dependent task is offered when its dependency is completed, not before and not when it "
      + "is blocked")
  void dependencies() {
    create("a");
    create("b");
    create("c", spec(9, null, "a", "b"));

    assertThat(start(BOB, "c")).isInstanceOfSatisfying(TaskOutcome.Unready.class,
        unready -> assertThat(unready.open()).containsExactly(new TaskId("a"), new TaskId("b")));
    assertThat(idOf(claim(ANN))).isEqualTo("a");
    done(complete(ANN, "a"));
    assertThat(idOf(claim(ANN))).isEqualTo("b");
    done(close(ANN, "b", Ending.BLOCKED, "no"));
    assertThat(claim(BOB)).isEqualTo(new Idle());
    done(start(ANN, "b"));
    done(complete(ANN, "b"));
    assertThat(idOf(claim(BOB))).isEqualTo("c");
    create("d", spec(0, null, "a", "a"));
    assertThat(idOf(claim(BOB))).as("a is completed already").isEqualTo("d");
  }

  @Test
  @DisplayName("VB-B1 T13 a dead agent's task in progress is offered again when its claim has expired; attempt 2")
  void expiredClaim() {
    create("t");
    done(claim(ANN));
    assertThat(claim(BOB)).isEqualTo(new Idle());

    pass(LONGER);
    Done taken = done(claim(BOB));

    assertThat(taken.seen().task().attempt()).isEqualTo(2);
    assertThat(claim(taken.seen().task()).agent()).isEqualTo(BOB);
    assertThat(taken.events()).extracting(TaskEvent::kind).containsExactly(Kind.TASK_LOST, Kind.TASK_CLAIMED);
    assertThat(taken.events().getFirst().about()).isEqualTo(new TaskEvent.About(ANN, 1));
    assertThat(taken.events().getFirst().detail()).startsWith("{\"reason\":\"expired\",\"claim_expires_at\":\"");
  }

  @Test
  @DisplayName("VB-4 a new claim is a new attempt, also by the same agent; a heartbeat, a renewal and a replay are not")
  void attempts() {
    create("t");
    Call first = by(ANN);
    Claim claim = new Claim(null, MINUTE, false);
    assertThat(done(store().claim(first, claim)).seen().task().attempt()).isEqualTo(1);
    assertThat(done(store().claim(first, claim)).seen().task().attempt()).isEqualTo(1);
    assertThat(done(beat(ANN, "t")).seen().task().attempt()).isEqualTo(1);
    Done renewed = done(store().start(by(ANN), new Start(new TaskId("t"), MINUTE, OptionalLong.of(1))));
    assertThat(renewed.seen().task().attempt()).isEqualTo(1);
    assertThat(renewed.event().kind()).isEqualTo(Kind.TASK_HEARTBEAT);
    done(release(ANN, "t"));
    assertThat(done(claim(ANN)).seen().task().attempt()).isEqualTo(2);
    pass(LONGER);
    assertThat(done(claim(ANN)).seen().task().attempt()).isEqualTo(3);
    pass(LONGER);
    sweep();
    assertThat(task("t").attempt()).isEqualTo(3);
    assertThat(done(claim(BOB)).seen().task().attempt()).isEqualTo(4);
  }

  @Test
  @DisplayName("VB-6 VB-15 a heartbeat extends the claim, with an event; claimed_at stays (VB-B12)")
  void heartbeat() {
    create("t");
    done(claim(ANN));
    pass(Duration.ofSeconds(40));
    Task.Claim before = claim(task("t"));

    Done beaten = done(beat(ANN, "t", 1));

    Task.Claim after = claim(beaten.seen().task());
    assertThat(after.claimedAt()).isEqualTo(before.claimedAt());
    assertThat(after.lastHeartbeatAt()).isEqualTo(beaten.seen().at()).isAfter(before.lastHeartbeatAt());
    assertThat(after.expiresAt()).isEqualTo(beaten.seen().at().plusSeconds(60));
    assertThat(beaten.event().kind()).isEqualTo(Kind.TASK_HEARTBEAT);
    pass(Duration.ofSeconds(40));
    assertThat(claim(BOB)).isEqualTo(new Idle());
  }

  @Test
  @DisplayName("VB-6 VB-B3 T12 only the current holder can heartbeat, close and release: no other, not after "
      + "expiry, not an older attempt")
  void onlyTheHolder() {
    create("t");
    assertThat(reason(beat(ANN, "t"))).isEqualTo(Reason.UNCLAIMED);
    assertThat(reason(complete(ANN, "t"))).isEqualTo(Reason.UNCLAIMED);
    done(claim(ANN));
    Task held = task("t");
    assertThat(List.of(beat(BOB, "t"), complete(BOB, "t"), release(BOB, "t"), beat(BOB, "t", 1)))
        .extracting(TaskSteps::reason).containsOnly(Reason.TAKEN);
    assertThat(List.of(beat(ANN, "t", 2), complete(ANN, "t", 7), release(ANN, "t", 3)))
        .extracting(TaskSteps::reason).containsOnly(Reason.OTHER_ATTEMPT);
    assertThat(task("t")).isEqualTo(held);
    pass(LONGER);
    assertThat(List.of(beat(ANN, "t"), complete(ANN, "t"), release(ANN, "t"), complete(ANN, "t", 1)))
        .extracting(TaskSteps::reason).containsOnly(Reason.EXPIRED);
    done(claim(BOB));
    Task bobs = task("t");
    assertThat(List.of(beat(ANN, "t"), complete(ANN, "t"), release(ANN, "t"), complete(ANN, "t", 1)))
        .extracting(TaskSteps::reason).containsOnly(Reason.TAKEN);
    assertThat(task("t")).isEqualTo(bobs);
    assertThat(kinds("t")).containsExactly(Kind.TASK_CREATED, Kind.TASK_CLAIMED, Kind.TASK_LOST, Kind.TASK_CLAIMED);
  }

  @Test
  @DisplayName("VB-2 VB-4 VB-7 the owner of a claim starts it again by its name: renewed, the same attempt, no "
      + "loss, and its focus")
  void ownerStartsAgain() {
    create("t");
    create("u");
    done(start(ANN, "t"));
    done(start(ANN, "u"));
    pass(Duration.ofSeconds(40));
    Task.Claim before = claim(task("t"));

    Done renewed = done(start(ANN, "t"));

    Task.Claim after = claim(renewed.seen().task());
    assertThat(renewed.seen().task().attempt()).isEqualTo(1);
    assertThat(renewed.standing()).isEqualTo(Standing.HELD);
    assertThat(after.claimedAt()).isEqualTo(before.claimedAt());
    assertThat(after.expiresAt()).isEqualTo(renewed.seen().at().plusSeconds(60));
    assertThat(kinds("t")).containsExactly(Kind.TASK_CREATED, Kind.TASK_CLAIMED, Kind.TASK_HEARTBEAT);
    assertThat(store().focus(ANN)).contains(new TaskId("t"));
    assertThat(start(BOB, "t")).isInstanceOf(TaskOutcome.Contended.class);
  }

  @Test
  @DisplayName("VB-6 after an expiry and another claim, the name alone identifies the active owner: heartbeat, close "
      + "and release")
  void ownerByName() {
    create("t");
    done(start(ANN, "t"));
    pass(LONGER);
    assertThat(done(start(ANN, "t")).seen().task().attempt()).isEqualTo(2);

    assertThat(done(beat(ANN, "t")).seen().task().attempt()).isEqualTo(2);
    done(release(ANN, "t"));
    done(start(BOB, "t"));
    done(release(BOB, "t"));
    done(start(ANN, "t"));
    assertThat(done(complete(ANN, "t")).seen().task().status()).isEqualTo(COMPLETED);
  }

  @Test
  @DisplayName("VB-B7 T1 two processes of one name are distinguished by the attempt, if they give it")
  void oneName() {
    create("t");
    done(start(ANN, "t"));
    pass(LONGER);
    done(start(ANN, "t"));
    Task held = task("t");

    assertThat(List.of(beat(ANN, "t", 1), complete(ANN, "t", 1), release(ANN, "t", 1)))
        .extracting(TaskSteps::reason).containsOnly(Reason.OTHER_ATTEMPT);
    assertThat(store().start(by(ANN), new Start(new TaskId("t"), MINUTE, OptionalLong.of(1))))
        .isInstanceOf(TaskOutcome.Contended.class);
    assertThat(store().resume(by(ANN), new Resume(null, MINUTE, OptionalLong.of(1)))).isEqualTo(new Idle());
    assertThat(task("t")).isEqualTo(held);
    done(complete(ANN, "t", 2));
  }

  @Test
  @DisplayName("VB-B6 T10 no renewal of any kind shortens a claim")
  void neverShorter() {
    create("t");
    Ttl hour = new Ttl(3600);
    done(store().start(by(ANN), new Start(new TaskId("t"), hour, ANY)));
    Task.Claim long1 = claim(task("t"));

    done(beat(ANN, "t"));
    done(store().start(by(ANN), new Start(new TaskId("t"), MINUTE, OptionalLong.of(1))));
    done(store().resume(by(ANN), new Resume(null, MINUTE, OptionalLong.of(1))));
    done(start(ANN, "t"));
    done(resume(ANN));

    assertThat(claim(task("t")).expiresAt()).isEqualTo(long1.expiresAt());
    assertThat(task("t").attempt()).isEqualTo(1);
    pass(Duration.ofSeconds(3500));
    assertThat(claim(task("t")).isActive()).isTrue();
    pass(Duration.ofSeconds(101));
    assertThat(claim(task("t")).isActive()).isFalse();
  }

  @Test
  @DisplayName("VB-7 VB-B8 a rejected start changes nothing, not even the focus; an unknown task does not count as "
      + "contention")
  void contention() {
    create("mine");
    create("t");
    done(start(BOB, "mine"));
    done(start(ANN, "t"));
    Task before = task("t");

    assertThat(start(BOB, "t")).isInstanceOfSatisfying(TaskOutcome.Contended.class,
        contended -> assertThat(contended.seen().task()).isEqualTo(before));
    assertThat(store().focus(BOB)).contains(new TaskId("mine"));
    assertThat(task("t")).isEqualTo(before);
    assertThat(start(BOB, "gone")).isEqualTo(new TaskOutcome.Unknown(new TaskId("gone")));
    assertThat(beat(BOB, "gone")).isEqualTo(new TaskOutcome.Unknown(new TaskId("gone")));
  }

  @Test
  @DisplayName("VB-9 VB-B11 gc returns expired claims, with an event each; active claims are unchanged, and the "
      + "attempt is kept")
  void gc() {
    create("dead");
    create("alive");
    done(start(ANN, "dead"));
    pass(LONGER);
    done(start(BOB, "alive"));
    Task alive = task("alive");
    Call call = by(BOB);

    Expired swept = (Expired) store().expire(call, new Expire());

    assertThat(swept.events()).extracting(event -> event.taskId().value()).containsExactly("dead");
    assertThat(swept.events().getFirst().about()).isEqualTo(new TaskEvent.About(ANN, 1));
    assertThat(swept.events().getFirst().by()).isEqualTo(call);
    assertThat(task("dead").status()).isEqualTo(PENDING);
    assertThat(task("dead").claim()).isNull();
    assertThat(task("dead").attempt()).isEqualTo(1);
    assertThat(task("alive")).isEqualTo(alive);
    assertThat(sweep().events()).isEmpty();
    assertThat(store().expire(call, new Expire())).isEqualTo(new Expired(swept.events(), true));
    assertThat(kinds("dead")).containsExactly(Kind.TASK_CREATED, Kind.TASK_CLAIMED, Kind.TASK_LOST);
  }

  @Test
  @DisplayName("VB-10 a close ends the claim; releasing an unclaimed task is not an error")
  void closed() {
    create("t");
    assertThat(release(ANN, "t")).isInstanceOf(TaskOutcome.Unclaimed.class);
    done(start(ANN, "t"));
    Done closed = done(close(ANN, "t", Ending.BLOCKED, "no disk"));
    assertThat(closed.standing()).isEqualTo(Standing.OVER);
    assertThat(task("t").claim()).isNull();
    assertThat(task("t").blockedReason()).isEqualTo("no disk");
    done(start(ANN, "t"));
    assertThat(task("t").blockedReason()).as("VB-19 gone when it is unblocked").isNull();
    done(complete(ANN, "t"));
    assertThat(release(ANN, "t")).isInstanceOf(TaskOutcome.Unclaimed.class);
    assertThat(start(ANN, "t")).isInstanceOf(TaskOutcome.Finished.class);
  }
}
